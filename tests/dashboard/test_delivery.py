"""No message to a browser is lost when another is just being written."""

import asyncio
import threading

import loops
from bokeh.core.properties import without_property_validation
from bokeh.document import Document
from bokeh.models import Quad
from bokeh.protocol import Protocol
from bokeh.server.connection import ServerConnection
from panel.io import document

from cdlab.dashboard.delivery import conceal, repair, separate_validation


class Socket:
    """Takes a message, and says when it is written."""

    def __init__(self):
        self.messages, self.written = [], []

    def write(self, _, events=None, msg=None):
        self.messages.append(events or msg)
        self.written.append(asyncio.get_running_loop().create_future())
        return self.written[-1:]


class Connection:
    def __init__(self, socket):
        self._socket, self.protocol = socket, self

    def create(self, _, events):
        return events


async def _sent_while_another_is_written(socket: Socket) -> list:
    doc, connection = Document(), Connection(socket)
    document.schedule_write_events(doc, [connection], "first")
    while not socket.written:
        await asyncio.sleep(0)
    socket.written[0].set_result(None)
    document.schedule_write_events(doc, [connection], "second")  # before those who wait for the first one wake
    for _ in range(5):
        await asyncio.sleep(0)
    for future in socket.written[1:]:
        future.set_result(None)
    return socket.messages


def test_a_message_that_comes_while_another_is_written_is_sent(monkeypatch):
    socket = Socket()
    monkeypatch.setitem(document.extra_socket_handlers, Socket, socket.write)
    repair()
    assert loops.run(_sent_while_another_is_written(socket)) == ["first", "second"]


def test_the_repair_is_made_once():
    repair()
    before = document._dispatch_msgs
    repair()
    assert document._dispatch_msgs is before


class Session:
    def subscribe(self, connection):
        pass


def test_an_error_reaches_the_browser_without_a_path_of_the_server():
    conceal()
    protocol = Protocol()
    connection = ServerConnection(protocol, None, None, Session())
    try:
        raise FileNotFoundError(__file__)
    except FileNotFoundError as wrong:
        answer = connection.error(protocol.create("PULL-DOC-REQ"), repr(wrong))
    sent = "".join(map(str, (answer.header_json, answer.metadata_json, answer.content_json)))
    assert answer.content["text"].startswith("An error in cdlab")
    assert __file__ not in sent
    assert "/" not in answer.content_json
    assert answer.header["reqid"]


def test_a_colour_is_sent_as_it_is_while_another_thread_makes_a_glyph():
    separate_validation()
    begun, ended = threading.Event(), threading.Event()

    @without_property_validation
    def make():
        begun.set()
        ended.wait(10)

    thread = threading.Thread(target=make)
    thread.start()
    begun.wait(10)
    try:
        glyph = Quad(hatch_color={"value": "#0B63A8"})
        assert glyph.lookup("hatch_color").get_value(glyph).value == "#0B63A8"
    finally:
        ended.set()
        thread.join()
