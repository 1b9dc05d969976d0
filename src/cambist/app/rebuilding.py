"""Rebuilding the rate image from what it is made of, in a process that ends when that is done."""

from __future__ import annotations

from cambist.app.keeper import supply_of
from cambist.app.parts import open_store
from cambist.server.desk import utc_now
from cambist.settings import Settings
from cambist.stores.board import FileBoard, News
from cambist.stores.folder import DataFolder
from cambist.stores.image import write_image


def rebuild_image(settings: Settings) -> None:
    """Build the image and tell every process that there is another."""
    folder, store = DataFolder(settings.data), open_store(settings)
    write_image(folder.image, supply_of(settings, store.archive).image(utc_now()))
    FileBoard(folder.path).ring(News.IMAGE)
    store.close()
