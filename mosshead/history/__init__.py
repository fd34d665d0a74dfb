"""Exports of other apps as messages: one module for each form, and one that recognises the form. Pure, and read as a stream."""
