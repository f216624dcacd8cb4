"""From a request to the files to check, each with its settings; nothing is run yet."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from .checker import FixMode, Job
from .config import Config, ConfigError, ConfigFinder, Settings, Width, load
from .discovery import Discovery, Exclusion, Found
from .errors import UsageError
from .focus import EVERYTHING, Focus, Rows
from .globs import Globs
from .linter import Options
from .run_rules import UNREADABLE, UNUSED
from .runner import Task
from .selection import UnknownName, codes_of, selected_codes, usual_codes

if TYPE_CHECKING:
    from .baseline import Baseline


class Request(NamedTuple):
    """What the command line asks for; None leaves it to the settings."""

    paths: tuple[str, ...] = (".",)
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    width: Width | None = None
    config: str | None = None
    is_isolated: bool = False
    exclusion: Exclusion = Exclusion()
    ignore_suppressions: bool = False
    fix: FixMode = FixMode.NONE


class Session:
    """The settings of a run, and the jobs that follow from them for each file.

    Raises UsageError where the request, a settings file or the current folder is wrong.
    """

    def __init__(self, request: Request) -> None:
        try:
            here = os.getcwd()
        except OSError as error:
            raise UsageError(f"the current folder: {error.strerror}") from error
        self.request = request
        fixed: Config | None = None
        if request.config is not None:
            fixed = load(request.config)
        elif request.is_isolated:
            fixed = Config(Settings(), here)
        self.finder = ConfigFinder(fixed)
        self.discovery = Discovery(self.finder, request.exclusion)
        self._jobs: dict[tuple[int, frozenset[str], bool, bool], Job] = {}
        self._ignores: dict[int, list[tuple[str, frozenset[str]]]] = {}
        self._globs: dict[tuple[str, ...], Globs] = {}

    @property
    def config(self) -> Config:
        """The settings that hold where the run was started."""
        return self.finder.in_folder(os.getcwd())

    def settings_of(self, absolute: str) -> Settings:
        """Those that hold for a file."""
        return self.finder.in_folder(os.path.dirname(absolute)).settings

    @property
    def sizes(self) -> dict[str, int]:
        """What the estimates assume."""
        return dict(self.config.settings.assume)

    def default_job(self) -> Job:
        """The job where no setting speaks of one file."""
        return self._new_job(self.config, frozenset(), False, False)

    def find(self) -> list[Found]:
        return self.discovery.find(self.request.paths)

    def job(self, absolute: str, config: Config, is_named: bool = True) -> Job:
        """What the file's settings and the request make of it, together."""
        settings = config.settings
        ignored: frozenset[str] = frozenset()
        for glob, codes in self._ignores_of(config):
            if self._cover((glob,), absolute, config):
                ignored |= codes
        inference = self._cover(settings.inference_paths, absolute, config)
        key = (id(config), ignored, inference, is_named)
        job = self._jobs.get(key)
        if job is None:
            job = self._jobs[key] = self._new_job(config, ignored, inference, is_named)
        return job

    def _ignores_of(self, config: Config) -> list[tuple[str, frozenset[str]]]:
        """`per-file-ignores` as codes, also those that cover no file of the run."""
        ignores = self._ignores.get(id(config))
        if ignores is None:
            ignores = self._ignores[id(config)] = [
                (glob, _codes_in(config, selectors))
                for glob, selectors in config.settings.per_file_ignores
            ]
        return ignores

    def _cover(self, patterns: tuple[str, ...], absolute: str, config: Config) -> bool:
        if not patterns:
            return False
        relative = os.path.relpath(absolute, config.root).replace(os.sep, "/")
        if relative.startswith("../"):
            return False
        globs = self._globs.get(patterns)
        if globs is None:
            globs = self._globs[patterns] = Globs(patterns)
        return globs.cover(relative)

    def _new_job(
        self,
        config: Config,
        ignored: frozenset[str],
        inference: bool,
        is_named: bool,
    ) -> Job:
        settings = config.settings
        codes = self._codes(config)
        if ignored:
            if codes is None:
                codes = usual_codes()
            codes -= ignored
        options = Options(
            codes=_of_the_engine(codes),
            least=(self.request.width or settings.width).least,
            vocab_names=settings.vocab_names,
            not_vocab_names=settings.not_vocab_names,
            inference=inference,
            root=config.root if self.request.config is None else os.getcwd(),
            parses_always=is_named,
        )
        return Job(options, codes, self.request.ignore_suppressions, self.request.fix)

    def _codes(self, config: Config) -> frozenset[str] | None:
        """`--select` puts aside what the settings select and ignore."""
        request, settings = self.request, config.settings
        if request.select is not None:
            select, ignore = request.select, request.ignore
        else:
            select = (*settings.select, *settings.extend_select)
            ignore = (*settings.ignore, *request.ignore)
        try:
            return selected_codes((*select, *request.extend_select), ignore)
        except UnknownName:
            _codes_in(config, (*settings.select, *settings.extend_select))
            _codes_in(config, settings.ignore)
            raise  # the fault is in the request

    def tasks(
        self,
        found: Sequence[Found],
        baseline: Baseline | None = None,
        rows: dict[str, Rows] | None = None,
    ) -> list[Task]:
        """`rows` are the added rows of each changed file; others are left out."""
        if not found:
            self.job(os.getcwd(), self.config)  # or its faults would stay unsaid
        tasks = []
        for file in found:
            focus = EVERYTHING
            if rows is not None or baseline is not None:
                real = os.path.realpath(file.absolute)
                if rows is not None and real not in rows:
                    continue
                focus = Focus(
                    rows[real] if rows is not None else None,
                    baseline.known(real) if baseline is not None else (),
                )
            job = self.job(file.absolute, file.config, file.is_named)
            tasks.append(Task(file.path, file.absolute, file.status, job, focus))
        return tasks


def _codes_in(config: Config, selectors: tuple[str, ...]) -> frozenset[str]:
    """What selectors of a settings file stand for. Raises ConfigError."""
    try:
        return codes_of(selectors)
    except UnknownName as error:
        raise ConfigError(f"{config.path}: {error}") from error


def _of_the_engine(codes: frozenset[str] | None) -> frozenset[str] | None:
    """The codes that the linter is to run; None where those are its usual ones."""
    if codes is None:
        return None
    codes -= {UNREADABLE, UNUSED}
    return None if codes == usual_codes() - {UNREADABLE, UNUSED} else codes
