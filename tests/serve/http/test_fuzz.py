"""Random valid and invalid requests, generated from the OpenAPI description."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from thatch.serve.http.app import make_app
from thatch.serve.limits import Limits

pytestmark = pytest.mark.slow

CHECKS = [
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


schema = schemathesis.openapi.from_dict(make_app(Limits()).openapi())


@schema.parametrize()
@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_no_request_breaks_the_server(case, server):
    answer = case.call(base_url=server.address, timeout=300)
    assert answer.status_code < 500 or answer.status_code == 503
    case.validate_response(answer, checks=CHECKS)
