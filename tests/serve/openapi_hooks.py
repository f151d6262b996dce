"""Loaded by schemathesis for openapi_test.py."""
import schemathesis

MOST = 1000


@schemathesis.hook
def before_call(context, case, kwargs):
    """Ten million resamples are a right request that takes longer than the server gives it. Too many of them stay too many."""
    bodies = [case.body] if isinstance(case.body, dict) else []
    bodies += [body['request'] for body in bodies if isinstance(body.get('request'), dict)]
    for body in bodies:
        asked = body.get('resamples')
        allowed = 100_000_000 if 'columns' in body else 10_000_000
        if isinstance(asked, int) and MOST < asked <= allowed:
            body['resamples'] = MOST
