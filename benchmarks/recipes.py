from __future__ import annotations
class Unplayable(Exception): pass
class Scene:
    def __init__(self,*a): pass
RECIPES={}
