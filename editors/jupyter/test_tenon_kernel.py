"""Tests of the kernel: python3 test_tenon_kernel.py, with TENON for the command to test.

NotebookTests need nothing of Jupyter. JupyterTests run example.ipynb as Jupyter does, and compare its
outputs with those in the file; UPDATE_EXPECTATIONS=1 writes them.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import tenon_kernel  # noqa: E402

TENON = os.environ.get("TENON", "tenon")
EXAMPLE = Path(__file__).with_name("example.ipynb")


class NotebookTests(unittest.TestCase):
    def setUp(self):
        self.messages = []
        self.notebook = tenon_kernel.Notebook(
            lambda kind, content: self.messages.append((kind, content)), command=TENON)
        self.count = 0

    def tearDown(self):
        self.notebook.end()

    def run_cell(self, code, silent=False):
        """The reply to a cell, and the messages that came before it."""
        self.messages.clear()
        self.count += 1
        return self.notebook.execute(code, self.count, silent), list(self.messages)

    def value_of(self, code):
        reply, messages = self.run_cell(code)
        self.assertEqual(reply["status"], "ok")
        self.assertEqual([kind for kind, _ in messages], ["execute_result"])
        self.assertEqual(messages[0][1]["execution_count"], self.count)
        return messages[0][1]["data"]

    def test_variables_and_connections_live_from_cell_to_cell(self):
        self.assertEqual(self.value_of("3 + 4"), {"text/plain": "7"})
        self.run_cell("var a := 3. var b.\nb |= a * 2. nil")
        self.run_cell("a := 21. nil")
        self.assertEqual(self.value_of("b"), {"text/plain": "42"})
        self.assertEqual(self.run_cell("b", silent=True)[1], [])
        for code in ("", "\n \n"):
            reply, messages = self.run_cell(code)
            self.assertEqual((reply["status"], messages), ("ok", []))

    def test_tables_and_pictures(self):
        table = self.value_of("#(#{ name: 'Ada', age: 36 }, #{ name: '<', age: 45 })")
        self.assertIn("<tr><td>&lt;</td><td>45</td></tr>", table["text/html"])
        self.assertIn("Ada", table["text/plain"])
        self.run_cell("var a := 3. var b.\nb |= a * 2. nil")
        picture = self.value_of("self connections")
        self.assertEqual(picture["text/plain"], "#(b |= a * 2)")
        self.assertIn("<svg", picture["image/svg+xml"])
        reply, messages = self.run_cell(":diagram")
        self.assertEqual(reply["status"], "ok")
        self.assertEqual(messages, [("display_data", {
            "data": {"image/svg+xml": picture["image/svg+xml"]}, "metadata": {}})])

    def test_streams(self):
        _, messages = self.run_cell("stdout println: 'out'. stderr println: 'é'. stdout print: 'rest'")
        self.assertEqual(messages, [
            ("stream", {"name": "stdout", "text": "out\n"}),
            ("stream", {"name": "stderr", "text": "é\n"}),
            ("stream", {"name": "stdout", "text": "'rest'"})])
        reply, messages = self.run_cell("1 to: 100000 do: [ :i | stdout println: i ]")
        self.assertEqual(reply["status"], "ok")
        text = "".join(content["text"] for kind, content in messages if kind == "stream")
        self.assertEqual(text, "".join("%d\n" % i for i in range(1, 100001)))

    def test_what_is_printed_between_cells_comes_by_itself(self):
        printed = threading.Event()
        self.notebook.idle = lambda name, text: printed.set() if text == "tick\n" else None
        self.run_cell("[ stdout println: 'tick' ] after: 10 milliseconds. nil")
        self.assertTrue(printed.wait(60))

    def test_errors(self):
        reply, messages = self.run_cell("\n3 zork")
        self.assertEqual(reply["status"], "error")
        self.assertEqual(reply["ename"], "MessageNotUnderstood")
        self.assertEqual(reply["evalue"], "<cell 1>:2:3: 3 does not understand 'zork'")
        self.assertEqual(reply["traceback"], [
            "<cell 1>:2:3: error: 3 does not understand 'zork'", "3 zork", "  ^~~~"])
        self.assertEqual(messages, [("error", {key: reply[key] for key in (
            "ename", "evalue", "traceback")})])
        for code in ("3 + ]", "3 +", "#(1"):
            self.assertEqual(self.run_cell(code)[0]["ename"], "SyntaxError")
        self.assertEqual(self.value_of("'\ud800'"), {"text/plain": "'\ufffd'"})
        self.assertEqual(self.value_of("4"), {"text/plain": "4"})

    def test_commands_stand_between_statements(self):
        reply, messages = self.run_cell("var a := 3. var b.\nb |= a * 2. nil\n:why b\n5 zork")
        self.assertEqual(messages[1][0], "stream")
        self.assertIn("b is 6 by 'b |= a * 2' (<cell 1>:2)", messages[1][1]["text"])
        self.assertEqual(reply["evalue"], "<cell 1>:4:3: 5 does not understand 'zork'")
        # What stands in a text or in brackets is none.
        self.assertEqual(self.value_of("'\n:why b'"), {"text/plain": "'\n:why b'"})
        self.assertEqual(self.value_of("#(1) collect: [\n:x | x + 1 ]"), {"text/plain": "#(2)"})
        reply, _ = self.run_cell(":nonsense\n3")
        self.assertIn("there is no command ':nonsense'", reply["evalue"])

    def test_completion(self):
        def complete(code, cursor=None):
            found = self.notebook.complete(code, len(code) if cursor is None else cursor)
            return found["matches"], found["cursor_start"], found["cursor_end"]

        self.assertEqual(complete("#(1) inj foo", 8), (["inject:"], 5, 8))
        matches, start, _ = complete("#(1) coll")
        self.assertLess({"collect", "collect:", "collectWithIndex:"}, {*matches, ""})
        self.assertEqual(start, 5)
        self.run_cell("temperature := 3. temperament := 4. nil")
        self.assertEqual(complete("é := temper")[1:], (5, 11))
        self.assertEqual(set(complete("é := temper")[0]), {"temperature", "temperament"})
        self.assertEqual(complete("3.\n:conn"), (["connections"], 4, 8))
        self.assertEqual(complete("zzzz"), ([], 4, 4))
        self.assertEqual(complete("'inj"), ([], 4, 4))
        self.assertEqual(complete(""), ([], 0, 0))
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "one two").mkdir()
            Path(directory, "one two", "x").touch()
            code = "file:" + directory + "/"
            self.assertEqual(complete(code)[1:], (len(code), len(code)))
            self.assertEqual(len(complete(code)[0]), 1)

    def test_completeness(self):
        self.assertEqual(self.notebook.is_complete("#(1)"), {"status": "complete"})
        self.assertEqual(self.notebook.is_complete("#(1"), {"status": "incomplete", "indent": "  "})
        self.assertEqual(self.notebook.is_complete(":why b"), {"status": "complete"})

    def test_inspection(self):
        def inspect(code, cursor):
            found = self.notebook.inspect(code, cursor)
            return found["data"]["text/plain"] if found["found"] else None

        code = "#(1) inject: 0 into: [ :a :b | a at: b ]"
        self.assertIn("inject:into:", inspect(code, 7))
        self.assertIn("class Array", inspect("x := Array new", 7))
        self.run_cell("mySize := 3. nil")
        self.assertIn("class SmallInteger", inspect("mySize := 4", 4))
        self.assertIsNone(inspect("zork", 2))
        self.assertIsNone(inspect("", 0))
        self.assertEqual(tenon_kernel.names_at(code, 10), ["inject:into:", "inject:", "inject"])
        self.assertEqual(tenon_kernel.names_at("a at: 'b:' put: 3. c at: 1", 3)[0], "at:put:")

    def test_interrupts(self):
        self.run_cell("kept := 5. nil")

        def interrupt(kind, content):
            self.messages.append((kind, content))
            if content.get("text") == "begun\n":
                os.kill(os.getpid(), signal.SIGINT)

        self.notebook.publish = interrupt
        for _ in range(3):
            reply, _ = self.run_cell("stdout println: 'begun'. [ true ] whileTrue")
            self.assertEqual(reply["ename"], "Interrupted")
            # It stops that cell alone, and what was set is kept.
            self.assertEqual(self.value_of("kept"), {"text/plain": "5"})

    def test_a_session_that_ends_is_followed_by_another_one(self):
        self.run_cell("kept := 5. nil")
        reply, _ = self.run_cell("Exit status: 3")
        self.assertEqual(reply["ename"], "Exit")
        self.assertIn("status 3", reply["evalue"])
        self.assertIn("unknown name 'kept'", self.run_cell("kept")[0]["evalue"])
        reply, messages = self.run_cell("Exit status: 0")
        self.assertEqual(reply["status"], "ok")
        self.assertEqual(messages[0][1]["name"], "stderr")
        self.assertEqual(self.value_of("3"), {"text/plain": "3"})
        self.notebook.session.child.kill()
        self.assertEqual(self.run_cell("3")[0]["ename"], "SessionEnded")
        self.assertEqual(self.value_of("3"), {"text/plain": "3"})

    def test_a_command_that_cannot_be_started_is_told(self):
        notebook = tenon_kernel.Notebook(lambda *_: None, command="/nonexistent/tenon")
        reply = notebook.execute("3", 1)
        self.assertEqual(reply["ename"], "SessionEnded")
        self.assertTrue(reply["evalue"].startswith("cannot start '/nonexistent/tenon': "))
        self.assertEqual(notebook.complete("3", 1)["matches"], [])
        self.assertEqual(notebook.is_complete("3")["status"], "unknown")
        self.assertFalse(notebook.inspect("Array", 1)["found"])


class JupyterTests(unittest.TestCase):
    """The kernel as Jupyter starts it."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        subprocess.run(
            [TENON, "jupyter", "install", "--prefix", directory.name], check=True,
            stdout=subprocess.DEVNULL)
        for name, folder in (
                ("JUPYTER_PATH", "share/jupyter"), ("JUPYTER_RUNTIME_DIR", "runtime"),
                ("IPYTHONDIR", "ipython"), ("JUPYTER_CONFIG_DIR", "config")):
            os.environ[name] = os.path.join(directory.name, folder)

    def test_the_example(self):
        import nbclient
        import nbformat

        before = nbformat.read(EXAMPLE, as_version=4)
        notebook = nbformat.from_dict(before)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs = []
        nbclient.NotebookClient(notebook, timeout=120, kernel_name="tenon").execute()
        expected = nbformat.read(EXAMPLE, as_version=4)
        outputs = [cell.get("outputs") for cell in notebook.cells]
        if os.environ.get("UPDATE_EXPECTATIONS") == "1":
            for cell in notebook.cells:
                cell.metadata.pop("execution", None)
            nbformat.write(notebook, EXAMPLE)
        self.assertEqual(outputs, [cell.get("outputs") for cell in expected.cells])
        # Of what it shows, each kind is there.
        kinds = {kind for cell in outputs for output in cell or [] for kind in output.get("data", {})}
        self.assertEqual(kinds, {"text/plain", "text/html", "image/svg+xml"})

    def test_requests(self):
        from jupyter_client.manager import KernelManager

        manager = KernelManager(kernel_name="tenon")
        manager.start_kernel()
        client = manager.client()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=120)
            reply = client.kernel_info(reply=True, timeout=120)["content"]
            self.assertEqual(reply["language_info"]["name"], "tenon")
            reply = client.complete("#(1) inj", reply=True, timeout=120)["content"]
            self.assertEqual(reply["matches"], ["inject:"])
            client.is_complete("#(1")
            reply = client.get_shell_msg(timeout=120)["content"]
            self.assertEqual(reply["status"], "incomplete")
            reply = client.inspect("Array", 2, reply=True, timeout=120)["content"]
            self.assertTrue(reply["found"])

            def interrupt(message):
                if message["content"].get("text") == "begun\n":
                    manager.interrupt_kernel()

            reply = client.execute_interactive(
                "stdout println: 'begun'. [ true ] whileTrue", output_hook=interrupt, timeout=120)
            self.assertEqual(reply["content"]["ename"], "Interrupted")
            messages = []
            client.execute_interactive("3 zork", output_hook=messages.append, timeout=120)
            errors = [each["content"] for each in messages if each["msg_type"] == "error"]
            self.assertEqual([each["ename"] for each in errors], ["MessageNotUnderstood"])
        finally:
            client.stop_channels()
            manager.shutdown_kernel()


if __name__ == "__main__":
    unittest.main()
