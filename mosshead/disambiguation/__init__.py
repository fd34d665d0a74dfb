"""Which of several entities with one name is meant: decided by the text around the name and by the scene, and by nothing else.

How often or how lately each was mentioned has no say, and a candidate of whom much is known has no better chance than one of whom
one thing is known. docs/disambiguation.md tells how it decides, and how well.
"""

from mosshead.disambiguation.deciding import Evidence, Resolution, disambiguate
from mosshead.disambiguation.telling import Telling, telling

__all__ = ["Evidence", "Resolution", "Telling", "disambiguate", "telling"]
