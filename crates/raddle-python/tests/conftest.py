"""Profiles small enough for a build without optimisation."""

import pytest

HEAD = "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns\n"


@pytest.fixture(scope="session")
def pair(tmp_path_factory):
    """A service of short kernels, and training of long ones that fill the device."""
    folder = tmp_path_factory.mktemp("pair")
    serve = "".join(f"decode,40,1,1,128,1,1,{at * 6000},4000\n" for at in range(12))
    train = "".join(f"gemm,640,1,1,256,1,1,{at * 90000},80000\n" for at in range(10))
    for name, rows in (("serve", serve), ("train", train)):
        (folder / f"{name}.csv").write_text(HEAD + rows)
    return [folder / "serve.csv", folder / "train.csv"]


@pytest.fixture(scope="session")
def asked():
    """A load and a goal for them."""
    return {
        "device": "v100",
        "requests": {"serve": "2000/s"},
        "until": "5ms",
        "goal": "serve p99 1ms",
        "priority": {"train": 5},
    }


@pytest.fixture(scope="session")
def result(pair, asked):
    import raddle

    return raddle.replay(pair, **asked)
