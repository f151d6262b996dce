"""Where the default model lies on this machine."""
import os
import pathlib

MODEL = 'all-MiniLM-L6-v2'


def models(root):
    """The folder that holds it: $MARKEVAL_MODELS, the user's data folder, models/ of the project; or None."""
    data = os.environ.get('XDG_DATA_HOME') or os.path.join(os.environ.get('HOME', '/nowhere'), '.local/share')
    for place in (os.environ.get('MARKEVAL_MODELS'), os.path.join(data, 'markeval/models'), root / 'models'):
        if place and (pathlib.Path(place) / MODEL / 'config.json').exists():
            return pathlib.Path(place).resolve()
    return None
