import pytest
import respx

from inn.settings import RATES


@pytest.fixture(scope="session", autouse=True)
def _quiet_environment():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INN_LOG", "off")
        yield


@pytest.fixture
def rates():
    """The service of rates, as this repository has always mocked it."""
    with respx.mock(base_url=RATES, assert_all_called=False) as mock:
        mock.get("/usd").respond(json={"rate": 1.1})
        mock.get("/xxx").respond(404)
        yield mock
