"""`sagaproof init`: what it finds in a repository, what it writes, and that what it writes runs."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from sagaproof._doors import cli

REFUND = """
    import httpx

    BILLING, CRM = "https://billing.acme.example/api", "https://crm.test"

    def refund(customer: str, ticket: str, cents: int) -> str:
        with httpx.Client(timeout=5) as http:
            credit = post(http, f"{BILLING}/credits", {"customer": customer, "amount": cents})
            try:
                post(http, f"{CRM}/tickets/{ticket}/notes", {"text": "credited"})
            except httpx.HTTPError:
                post(http, f"{BILLING}/credits/{credit['id']}/reverse")
                return "compensated"
        return "completed"

    def post(http, url, body=None):
        response = http.post(url, json=body)
        response.raise_for_status()
        return response.json()
"""
FULFIL = """
    from warehouse import release_item, reserve_item

    async def fulfil(sku, ship, quantity: int):
        held = await reserve_item(sku)
        try:
            await ship(held["id"])
        except Exception:
            await release_item(held["id"])
            return "compensated"
        return "completed"
"""
WAREHOUSE = """
    async def reserve_item(sku): raise RuntimeError("this is the real one")
    async def release_item(number): raise RuntimeError("this is the real one")
"""
CHECKOUT = """
    import httpx
    from shop.config import PAY

    def checkout(cart: str, amount: int) -> bool:
        client = httpx.Client(timeout=3)
        body = {"cart": cart, "amount": amount}
        charge = client.post(f"{PAY}/charges", json=body).raise_for_status().json()
        try:
            order = {"charge": charge["id"], "note": charge["receipt"]}
            client.post(f"{PAY}/orders", json=order).raise_for_status()
        except httpx.HTTPError:
            client.post(f"{PAY}/charges/{charge['id']}/refund").raise_for_status()
            return False
        return True
"""

CLIENTS = """
    from shop.config import STOCK

    class Stock:
        def __init__(self, http):
            self.http = http

        def reserve(self, sku):
            body = {"sku": sku}
            return self.http.post(f"{STOCK}/reservations", json=body).raise_for_status().json()["id"]

        def release(self, number):
            self.http.post(f"{STOCK}/reservations/{number}/release").raise_for_status()

    def charge(http, customer, amount):
        body = {"customer": customer, "amount": amount}
        http.post("https://pay.example/charges", json=body).raise_for_status()
"""
BUY = """
    import httpx
    from shop import clients
    from shop.clients import Stock

    def buy(customer: str, sku: str, amount: int) -> str:
        with httpx.Client(timeout=5) as http:
            stock = Stock(http)
            held = stock.reserve(sku)
            try:
                clients.charge(http, customer, amount)
            except httpx.HTTPError:
                stock.release(held)
                return "cancelled"
        return "bought"
"""
SHOP = {
    "shop/__init__.py": "",
    "shop/config.py": 'STOCK = "https://stock.example"\n',
    "shop/clients.py": CLIENTS,
    "shop/buying.py": BUY,
}


class Repository:
    """A folder with these files, and the command `sagaproof init` in it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys
        self.errors = ""

    def add(self, files: Mapping[str, str]) -> Repository:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text).lstrip(), encoding="utf-8")
        return self

    def init(self, *arguments: str, code: int = 0) -> str:
        assert cli.main(["init", str(self.folder), *arguments]) == code
        out, self.errors = self._capsys.readouterr()
        return out

    def text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def all(self) -> dict[str, str]:
        paths = (path for path in self.folder.rglob("*") if path.is_file() and "__pycache__" not in str(path))
        return {path.relative_to(self.folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}

    def pytest(self, *arguments: str) -> str:
        """What pytest prints there, in a process of its own; `rc=` at the end."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
        kept |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "100"}
        command = [sys.executable, "-P", "-m", "pytest", "-p", "_sagaproof_pytest", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [*command, *arguments], cwd=self.folder, env=kept, capture_output=True, text=True, check=False
        )
        return f"{done.stdout}{done.stderr}\nrc={done.returncode}"


@pytest.fixture
def repository(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Repository:
    return Repository(tmp_path, capsys)


def runs_and_finds(repository: Repository, check: str) -> None:
    """The written test ends well without a fault, and has a finding of this check with one."""
    clean = repository.pytest("--saga-plan=")
    assert "rc=0" in clean, clean
    assert "Is the world set up for it?" not in clean
    broken = repository.pytest("--saga-faults=1")
    assert "rc=1" in broken, broken
    assert check in broken
    assert "harness error" not in broken


@pytest.mark.slow
def test_in_an_empty_repository_an_example_runs_and_shows_a_finding(repository: Repository) -> None:
    said = repository.init()

    assert "an example is written" in said
    assert "pytest test_saga_example.py" in said
    assert set(repository.all()) == {"test_saga_example.py", "pyproject.toml"}
    runs_and_finds(repository, "compensated-is-clean")


@pytest.mark.slow
def test_a_saga_over_http_in_a_src_layout_gets_a_test_with_the_bundled_systems(
    repository: Repository,
) -> None:
    repository.add({"src/acme/__init__.py": "", "src/acme/refund.py": REFUND, "tests/conftest.py": ""})

    said = repository.init()

    assert "saga acme.refund.refund (line 5): 3 requests" in said
    settings = tomllib.loads(repository.text("pyproject.toml"))["tool"]
    assert settings["sagaproof"]["hosts"] == {"billing": "https://billing.acme.example/api"}
    assert settings["pytest"]["ini_options"]["pythonpath"] == ["src"]
    test = repository.text("tests/test_saga_refund.py")
    assert 'world.billing.add_customer("customer-1")' in test
    assert 'return refund("customer-1", "ticket-1", 100)' in test
    runs_and_finds(repository, "compensated-is-clean")


@pytest.mark.slow
def test_an_async_saga_with_callables_gets_stand_ins_that_have_no_effect(repository: Repository) -> None:
    files = {
        "orders.py": FULFIL,
        "warehouse.py": WAREHOUSE,
        "tests/test_other.py": "",
        "pytest.ini": "[pytest]\n",
    }
    repository.add(files)

    said = repository.init()

    assert "async saga orders.fulfil (line 3): 3 callables" in said
    assert repository.text("pytest.ini") == "[pytest]\npythonpath = .\n"
    test = repository.text("tests/test_saga_fulfil.py")
    assert 'world.tool(reserve_item, cls=3, undo="release_item", ref="id")' in test
    assert "world.tool(ship, cls=5)" in test
    runs_and_finds(repository, "no-unwind-past-pivot")


@pytest.mark.slow
def test_a_service_that_no_bundled_system_stands_for_is_written_from_its_requests(
    repository: Repository,
) -> None:
    config = 'PAY = "https://api.pay.example/v1"\n'
    repository.add({"shop/__init__.py": "", "shop/config.py": config, "shop/checkout.py": CHECKOUT})

    said = repository.init()

    assert "https://api.pay.example/v1: a system is written from its requests" in said
    test = repository.text("tests/test_saga_checkout.py")
    assert 'route="POST /charges/{charge_id}/refund", ref="charge_id", undoes="create_charge"' in test
    assert 'claim=lambda result: "completed" if result else "compensated"' in test
    runs_and_finds(repository, "compensated-is-clean")


@pytest.mark.slow
def test_requests_are_found_in_the_methods_and_functions_that_a_saga_calls_elsewhere(
    repository: Repository,
) -> None:
    said = repository.add(SHOP).init()

    assert "saga shop.buying.buy (line 5): 3 requests" in said
    test = repository.text("tests/test_saga_buy.py")
    assert 'route="POST /reservations/{reservation_id}/release"' in test
    assert 'route="POST /charges"' in test
    assert "def create_reservation(self, sku: Any = None)" in test  # each body with its own fields
    runs_and_finds(repository, "compensated-is-clean")


def test_words_of_its_own_are_translated_one_by_one(repository: Repository) -> None:
    repository.add(SHOP).init()

    test = repository.text("tests/test_saga_buy.py")
    assert 'claim={"bought": "completed", "cancelled": "compensated"}.get' in test


@pytest.mark.parametrize("name", ["refund", "money.refund", "money:refund"])
def test_another_saga_is_taken_by_name(repository: Repository, name: str) -> None:
    repository.add({**SHOP, "money.py": REFUND})
    assert "also like a saga (--saga NAME): shop.buying.buy" in repository.init("--dry-run")
    assert "also like a saga (--saga NAME): money.refund" in repository.init("--saga", "buy", "--dry-run")

    assert "saga money.refund" in repository.init("--saga", name)
    assert "tests/test_saga_refund.py" in repository.all()


@pytest.mark.parametrize(("name", "meant"), [("money.refnud", "money.refund"), ("refnud", "refund")])
def test_a_name_that_is_no_saga_is_wrong_use_with_the_nearest_one(
    repository: Repository, name: str, meant: str
) -> None:
    repository.add({"money.py": REFUND}).init("--saga", name, code=3)

    assert f"no function '{name}' looks like a saga" in repository.errors
    assert f"Did you mean '{meant}'?" in repository.errors
    assert set(repository.all()) == {"money.py"}


def test_a_bundled_system_is_found_below_a_path_that_is_written_out(repository: Repository) -> None:
    written_out = REFUND.replace("{BILLING}/", "https://money.acme.example/api/v2/")
    repository.add({"refund.py": written_out}).init()

    settings = tomllib.loads(repository.text("pyproject.toml"))["tool"]["sagaproof"]
    assert settings["hosts"] == {"billing": "https://money.acme.example/api/v2"}


def test_a_second_call_changes_nothing(repository: Repository) -> None:
    repository.add({"refund.py": REFUND}).init()
    before = repository.all()

    said = repository.init()

    assert "wrote" not in said
    assert "kept     test_saga_refund.py (--force replaces it)" in said
    assert repository.all() == before


def test_what_is_there_is_kept_unless_forced(repository: Repository) -> None:
    toml = '# mine\n[project]\nname = "x"\n\n[tool.sagaproof]\nfaults = 1 # mine\n'
    repository.add({"refund.py": REFUND, "test_saga_refund.py": "# mine\n", "pyproject.toml": toml})

    said = repository.init()
    assert 'add to [tool.sagaproof]: hosts.billing = "https://billing.acme.example/api"' in said
    assert repository.text("test_saga_refund.py") == "# mine\n"

    repository.init("--force")
    assert "def test_refund(world)" in repository.text("test_saga_refund.py")
    assert repository.text("pyproject.toml") == toml


def test_settings_of_others_and_comments_stay(repository: Repository) -> None:
    toml = "[tool.pytest.ini_options] # ours\naddopts = []\n\n[tool.ruff]\nline-length = 99\n"
    repository.add({"src/refund.py": REFUND, "pyproject.toml": toml}).init()

    text = repository.text("pyproject.toml")
    assert set(toml.splitlines()) <= set(text.splitlines())
    assert tomllib.loads(text)["tool"]["pytest"]["ini_options"] == {"addopts": [], "pythonpath": ["src"]}


def test_a_dry_run_shows_all_and_writes_nothing(repository: Repository) -> None:
    repository.add({"refund.py": REFUND})
    before = repository.all()

    said = repository.init("--dry-run")

    assert repository.all() == before
    assert "def test_refund(world)" in said
    assert "[tool.sagaproof]" in said


def test_a_saga_that_takes_what_cannot_be_made_up_gives_way(repository: Repository) -> None:
    odd = REFUND.replace("customer: str", "customer: Customer")
    repository.add({"refund.py": odd})

    assert "an example is written" in repository.init()


def test_a_module_that_is_no_python_is_named_and_passed_over(repository: Repository) -> None:
    repository.add({"refund.py": REFUND, "old.py": "print 'hello'\n"})

    said = repository.init()

    assert "old.py cannot be read as Python" in said
    assert "saga refund.refund" in said


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"pyproject.toml": "[tool\n"}, "pyproject.toml cannot be read: "),
        ({"pyproject.toml": "tool = { x = 1 }\n"}, "nothing can be added to "),
        (
            {"pyproject.toml": "[project]\n", "src/a.py": REFUND, "pytest.ini": "[pytest\n"},
            "pytest.ini cannot be",
        ),
    ],
    ids=["broken toml", "a table that takes no more", "broken ini"],
)
def test_settings_that_cannot_be_read_are_an_error_and_nothing_is_written(
    repository: Repository, files: dict[str, str], says: str
) -> None:
    before = repository.add(files).all()

    repository.init(code=3)

    assert says in repository.errors
    assert repository.all() == before


def test_a_folder_that_takes_no_files_is_an_error_and_nothing_is_changed(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.add({"refund.py": REFUND})
    before = repository.all()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    repository.init(code=3)

    assert "cannot be written: Permission denied. Make its folder writable" in repository.errors
    assert repository.all() == before


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["init", str(tmp_path / "gone")]) == 3
    assert "there is no folder" in capsys.readouterr().err
