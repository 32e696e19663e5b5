"""Schedules of learning rates: beside each other, one after the other, begun late, saved."""

from __future__ import annotations

from typing import Any

import pytest

from .same import same

pytestmark = pytest.mark.parity


def cosine_annealing_keeps_the_factor_of_another_schedule(lib: Any) -> Any:
    p = lib.nn.Parameter(lib.ones(1))
    o = lib.optim.SGD([p], lr=1.0)
    S = lib.optim.lr_scheduler
    a = S.CosineAnnealingLR(o, 10)
    b = S.ExponentialLR(o, 0.9)
    out = []
    for _ in range(15):
        o.step()
        a.step()
        b.step()
        out.append(o.param_groups[0]["lr"])
    return out


def cosine_annealing_can_be_chained(lib: Any) -> Any:
    p = lib.nn.Parameter(lib.ones(1))
    o = lib.optim.SGD([p], lr=1.0)
    S = lib.optim.lr_scheduler
    c = S.ChainedScheduler(
        [S.CosineAnnealingLR(o, 5, eta_min=0.1), S.ExponentialLR(o, 0.9), S.LinearLR(o, 0.5, 1.0, 4)]
    )
    out = []
    for _ in range(15):
        o.step()
        c.step()
        out.append(o.param_groups[0]["lr"])
    return out


def any_two_schedules_work_beside_each_other(lib: Any) -> Any:
    S = lib.optim.lr_scheduler
    mk = dict(
        lam=lambda o: S.LambdaLR(o, lambda e: 0.95**e),
        mul=lambda o: S.MultiplicativeLR(o, lambda e: 0.97),
        step=lambda o: S.StepLR(o, 3),
        ms=lambda o: S.MultiStepLR(o, [2, 5]),
        const=lambda o: S.ConstantLR(o, 0.3, 4),
        lin=lambda o: S.LinearLR(o, 0.3, 0.9, 5),
        exp=lambda o: S.ExponentialLR(o, 0.9),
        poly=lambda o: S.PolynomialLR(o, 6, 2.0),
        cos=lambda o: S.CosineAnnealingLR(o, 6, 0.05),
        warm=lambda o: S.CosineAnnealingWarmRestarts(o, 3, 2, 0.01),
        cyc=lambda o: S.CyclicLR(o, 0.1, 1.0, 3, cycle_momentum=False),
        one=lambda o: S.OneCycleLR(o, 2.0, total_steps=20),
    )
    out = []
    for n in mk:
        for m in mk:
            p = lib.nn.Parameter(lib.ones(1))
            o = lib.optim.SGD([p], lr=1.0, momentum=0.9)
            a = mk[n](o)
            b = mk[m](o)
            for _ in range(12):
                o.step()
                a.step()
                b.step()
                out.append((n, m))
                out.append(o.param_groups[0]["lr"])
    return out


def any_two_schedules_follow_each_other_or_are_chained(lib: Any) -> Any:
    S = lib.optim.lr_scheduler
    mk = dict(
        lam=lambda o: S.LambdaLR(o, lambda e: 0.95**e),
        mul=lambda o: S.MultiplicativeLR(o, lambda e: 0.97),
        step=lambda o: S.StepLR(o, 3),
        ms=lambda o: S.MultiStepLR(o, [2, 5]),
        const=lambda o: S.ConstantLR(o, 0.3, 4),
        lin=lambda o: S.LinearLR(o, 0.3, 0.9, 5),
        exp=lambda o: S.ExponentialLR(o, 0.9),
        poly=lambda o: S.PolynomialLR(o, 6, 2.0),
        cos=lambda o: S.CosineAnnealingLR(o, 6, 0.05),
        warm=lambda o: S.CosineAnnealingWarmRestarts(o, 3, 2, 0.01),
        cyc=lambda o: S.CyclicLR(o, 0.1, 1.0, 3, cycle_momentum=False),
        one=lambda o: S.OneCycleLR(o, 2.0, total_steps=20),
    )
    out = []
    for n in mk:
        for m in mk:
            p = lib.nn.Parameter(lib.ones(1))
            o = lib.optim.SGD([p], lr=1.0, momentum=0.9)
            s = S.SequentialLR(o, [mk[n](o), mk[m](o)], [4])
            out.append((n, m, o.param_groups[0]["lr"]))
            for _ in range(12):
                o.step()
                s.step()
                out.append((n, m))  # type: ignore[arg-type]
                out.append(o.param_groups[0]["lr"])
                out.append(s.get_last_lr()[0])
            p = lib.nn.Parameter(lib.ones(1))
            o = lib.optim.SGD([p], lr=1.0, momentum=0.9)
            s = S.ChainedScheduler([mk[n](o), mk[m](o)])
            for _ in range(9):
                o.step()
                s.step()
                out.append((n, m, "chain"))
                out.append(o.param_groups[0]["lr"])
                out.append(s.get_last_lr()[0])
    return out


def a_schedule_steps_to_a_named_epoch(lib: Any) -> Any:
    S = lib.optim.lr_scheduler
    mk = dict(
        lam=lambda o: S.LambdaLR(o, lambda e: 0.95**e),
        mul=lambda o: S.MultiplicativeLR(o, lambda e: 0.97),
        step=lambda o: S.StepLR(o, 3),
        ms=lambda o: S.MultiStepLR(o, [2, 5]),
        const=lambda o: S.ConstantLR(o, 0.3, 4),
        lin=lambda o: S.LinearLR(o, 0.3, 0.9, 5),
        exp=lambda o: S.ExponentialLR(o, 0.9),
        poly=lambda o: S.PolynomialLR(o, 6, 2.0),
        cos=lambda o: S.CosineAnnealingLR(o, 6, 0.05),
        warm=lambda o: S.CosineAnnealingWarmRestarts(o, 3, 2, 0.01),
        cyc=lambda o: S.CyclicLR(o, 0.1, 1.0, 3, cycle_momentum=False),
        one=lambda o: S.OneCycleLR(o, 2.0, total_steps=20),
    )
    out = []
    for n in mk:
        p = lib.nn.Parameter(lib.ones(1))
        o = lib.optim.SGD([p], lr=1.0, momentum=0.9)
        s = mk[n](o)
        for e in (3, 7, 2, None, 0, None, 5):
            o.step()
            s.step(e)
            out += [(n, e), o.param_groups[0]["lr"]]
    return out


def a_schedule_goes_on_from_a_saved_state(lib: Any) -> Any:
    S = lib.optim.lr_scheduler
    mk = dict(
        step=lambda o: S.StepLR(o, 3),
        ms=lambda o: S.MultiStepLR(o, [2, 5]),
        const=lambda o: S.ConstantLR(o, 0.3, 4),
        lin=lambda o: S.LinearLR(o, 0.3, 0.9, 5),
        exp=lambda o: S.ExponentialLR(o, 0.9),
        poly=lambda o: S.PolynomialLR(o, 6, 2.0),
        cos=lambda o: S.CosineAnnealingLR(o, 6, 0.05),
        warm=lambda o: S.CosineAnnealingWarmRestarts(o, 3, 2, 0.01),
        cyc=lambda o: S.CyclicLR(o, 0.1, 1.0, 3, cycle_momentum=False),
        one=lambda o: S.OneCycleLR(o, 2.0, total_steps=20),
        lam=lambda o: S.LambdaLR(o, lambda e: 0.95**e),
        mul=lambda o: S.MultiplicativeLR(o, lambda e: 0.97),
    )
    out = []
    for n in mk:
        p = lib.nn.Parameter(lib.ones(1))
        o = lib.optim.SGD([p], lr=1.0, momentum=0.9)
        s = mk[n](o)
        for e in range(4):
            o.step()
            s.step()
        q = lib.nn.Parameter(lib.ones(1))
        o2 = lib.optim.SGD([q], lr=0.5, momentum=0.9)
        s2 = mk[n](o2)
        o2.load_state_dict(o.state_dict())
        s2.load_state_dict(s.state_dict())
        for e in range(5):
            o2.step()
            s2.step()
            out += [(n, e), o2.param_groups[0]["lr"], s2.last_epoch]
    return out


def a_schedule_begins_at_a_later_epoch(lib: Any) -> Any:
    S = lib.optim.lr_scheduler
    mk = dict(
        lam=lambda o, k: S.LambdaLR(o, lambda e: 0.95**e, k),
        mul=lambda o, k: S.MultiplicativeLR(o, lambda e: 0.97, k),
        step=lambda o, k: S.StepLR(o, 3, last_epoch=k),
        ms=lambda o, k: S.MultiStepLR(o, [2, 5], last_epoch=k),
        const=lambda o, k: S.ConstantLR(o, 0.3, 4, k),
        lin=lambda o, k: S.LinearLR(o, 0.3, 0.9, 5, k),
        exp=lambda o, k: S.ExponentialLR(o, 0.9, k),
        poly=lambda o, k: S.PolynomialLR(o, 6, 2.0, k),
        cos=lambda o, k: S.CosineAnnealingLR(o, 6, 0.05, k),
        warm=lambda o, k: S.CosineAnnealingWarmRestarts(o, 3, 2, 0.01, k),
        cyc=lambda o, k: S.CyclicLR(o, 0.1, 1.0, 3, cycle_momentum=False, last_epoch=k),
        one=lambda o, k: S.OneCycleLR(o, 2.0, total_steps=20, last_epoch=k, cycle_momentum=False),
    )
    out = []
    for n in mk:
        for k in (0, 1, 3, 4):
            p = lib.nn.Parameter(lib.ones(1))
            o = lib.optim.SGD(
                [
                    dict(
                        params=[p],
                        lr=0.4,
                        initial_lr=1.0,
                        max_lr=2.0,
                        min_lr=0.01,
                        momentum=0.9,
                        base_momentum=0.8,
                        max_momentum=0.9,
                    )
                ],
                lr=1.0,
                momentum=0.9,
            )
            try:
                a = mk[n](o, k)
            except Exception as e:
                out.append((n, k, type(e).__name__))
                continue
            out.append((n, k))  # type: ignore[arg-type]
            out.append(o.param_groups[0]["lr"])
            for _ in range(8):
                o.step()
                a.step()
                out.append(o.param_groups[0]["lr"])
    return out


PROGRAMS = [
    cosine_annealing_keeps_the_factor_of_another_schedule,
    cosine_annealing_can_be_chained,
    any_two_schedules_work_beside_each_other,
    any_two_schedules_follow_each_other_or_are_chained,
    a_schedule_steps_to_a_named_epoch,
    a_schedule_goes_on_from_a_saved_state,
    a_schedule_begins_at_a_later_epoch,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_gives_the_same_on_both(program: Any) -> None:
    same(program)
