"""A motion, a tree of motions or a sweep as one HTML page that needs nothing else: exact data, and what draws them.

`page_data` and its neighbours say what is shown, as texts and numbers; `build_page` puts them beside the style and the
scripts of `assets/`. Nothing here draws, and nothing in `assets/` computes mechanics.
"""
