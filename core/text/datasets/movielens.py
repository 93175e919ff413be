"""A million ratings of films.

Paper: F. M. Harper, J. A. Konstan, "The MovieLens Datasets: History and Context", 2015,
    https://grouplens.org/datasets/movielens/1m.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from core.io.dataset import Dataset
from core.io.published import Source, choose_mode, local_file
from core.text.datasets.archive import TextError, members, named, text_lines
from core.weights.archives import Member

AGES = (1, 18, 25, 35, 45, 50, 56)
"""The youngest of each group of users."""
_TITLE = re.compile(r"^(.*)\((\d+)\)$")


@dataclass(frozen=True)
class MovieInfo:
    """A film: its number, its categories, and its title without the year."""

    index: int
    categories: list[str]
    title: str

    def value(self, categories_dict: dict[str, int], movie_title_dict: dict[str, int]) -> list[list[int]]:
        """Return the numbers of the film, of its categories, and of the title's words."""
        return [
            [self.index],
            [categories_dict[category] for category in self.categories],
            [movie_title_dict[word.lower()] for word in self.title.split()],
        ]


@dataclass(frozen=True)
class UserInfo:
    """A user: the number, whether it is a man, the group of age, and the number of the job."""

    index: int
    is_male: bool
    age: int
    job_id: int

    def value(self) -> list[list[int]]:
        """Return the numbers of user, gender (0 a man, 1 a woman), age and job."""
        return [[self.index], [0 if self.is_male else 1], [self.age], [self.job_id]]


class Movielens(Dataset):
    """1,000,209 ratings of 3,883 films by 6,040 users.

    Sample i is eight arrays: user, gender, group of age, job, film, the film's categories, the words of its title, all
    int64, and the rating, float64 from -3 to 5. All have shape (1,), but for the categories and words, (N,).

    Args:
        data_file: the archive, a zip file; None: the published one.
        mode: "train" or "test".
        test_ratio: the share of ratings that are for testing, drawn at random.
        rand_seed: the seed of these draws.
        download: whether the published file may be downloaded.
        maximum_bytes: how many bytes may be unpacked; None: 64 MB or 30 times the archive's size, whichever is more.

    Raises:
        FileNotFoundError: the given file is missing.
        ValueError: it is not such an archive or is damaged; or an argument is unknown.
        ConnectionError: the file cannot be downloaded.
    """

    source = Source("https://dataset.bj.bcebos.com/movielens%2Fml-1m.zip", "c4d9eecfca2ab87c1945afe126590906")

    def __init__(
        self,
        data_file: Optional[str] = None,
        mode: str = "train",
        test_ratio: float = 0.1,
        rand_seed: int = 0,
        download: bool = True,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        self.mode = choose_mode("Movielens", mode, ("train", "test"))
        self.data_file = local_file("Movielens", "data_file", data_file, self.source, download)
        self.test_ratio = test_ratio
        self.rand_seed = rand_seed
        self.movie_info: dict[int, MovieInfo] = {}
        self.user_info: dict[int, UserInfo] = {}
        self.movie_title_dict: dict[str, int] = {}
        self.categories_dict: dict[str, int] = {}
        ratings = np.zeros((0, 3))
        readers = {"ml-1m/movies.dat": self._movie, "ml-1m/users.dat": self._user, "ml-1m/ratings.dat": self._rating}
        missing = dict(readers)
        with named("Movielens", self.data_file):
            for member in members(self.data_file, maximum_bytes):
                read = missing.pop(member.name, None)
                if read is not None:
                    rows = _rows(member, read)
                    ratings = np.array(rows) if member.name == "ml-1m/ratings.dat" and rows else ratings
            if missing:
                raise ValueError(f"it holds no member {min(missing)}; is it another data set's archive?")
            for kind, column, known in (("user", 0, self.user_info), ("film", 1, self.movie_info)):
                unknown = set(ratings[:, column].astype(int).tolist()) - set(known)
                if unknown:
                    raise ValueError(f"there is a rating of {kind} {min(unknown)}, which the archive does not describe")
        is_test = np.random.RandomState(rand_seed).random_sample(len(ratings)) < test_ratio
        self.data = ratings[is_test == (self.mode == "test")]

    def _movie(self, number: str, title: str, categories: str) -> None:
        found = _TITLE.match(title)
        if found is None:
            raise ValueError(f"the title {title[:40]!r} has no year at its end")
        film = MovieInfo(int(number), categories.split("|"), found[1])
        self.movie_info[film.index] = film
        for category in film.categories:
            self.categories_dict.setdefault(category, len(self.categories_dict))
        for word in film.title.split():
            self.movie_title_dict.setdefault(word.lower(), len(self.movie_title_dict))

    def _user(self, number: str, gender: str, age: str, job: str, _: str) -> None:
        if int(age) not in AGES:
            raise ValueError(f"the age {age} is none of {AGES}")
        self.user_info[int(number)] = UserInfo(int(number), gender == "M", AGES.index(int(age)), int(job))

    def _rating(self, user: str, film: str, rating: str, _: str) -> tuple[float, float, float]:
        return int(user), int(film), float(rating) * 2 - 5.0

    def __getitem__(self, index: int) -> tuple[np.ndarray, ...]:
        user, film, rating = self.data[index].tolist()
        values: list[Any] = self.user_info[int(user)].value()
        values += self.movie_info[int(film)].value(self.categories_dict, self.movie_title_dict)
        return (*(np.array(value, dtype=np.int64) for value in values), np.array([rating]))

    def __len__(self) -> int:
        return len(self.data)


def _rows(member: Member, read: Any) -> list[Any]:
    """Return what a function makes of the columns of each line; an error names the line."""
    rows = []
    for number, line in enumerate(text_lines(member.open(), f"{member.name}, ", "latin-1"), 1):
        try:
            rows.append(read(*line.strip().split("::")))
        except TypeError:
            raise TextError(f"{member.name}, line {number}: it has not the columns of this file") from None
        except ValueError as error:
            raise TextError(f"{member.name}, line {number}: {error}") from None
    return rows
