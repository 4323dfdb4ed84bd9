// SPDX-License-Identifier: MIT
// Runs in the window of a notebook: assembles a page from template and data, and relays messages between its frame
// (view/src/live.ts) and the kernel. The file is a single expression, which a cell calls.
(options, given) => {
    const shared = window.tandemPages1 ??= { pieces: new Map(), waiting: [], sockets: new Map(), gone: new FinalizationRegistry((end) => end()) };
    // a frame can leave the document and return, as cells do when scrolled out of view: cleanup waits for the object's end
    const held = new WeakRef(document.getElementById(options.id)), frame = () => held.deref();

    const take = (pieces) => {
        for (const [key, text] of Object.entries(pieces)) shared.pieces.set(key, text);
        shared.waiting = shared.waiting.filter((ready) => !ready());
    };

    // ---- the kernel's socket, shared by all pages of the notebook

    const place = () => {
        const config = document.getElementById("jupyter-config-data");
        const { wsUrl = "", baseUrl = document.body.dataset.baseUrl } = config ? JSON.parse(config.textContent) : {};
        if (!baseUrl && !wsUrl) return null; // not a Jupyter server
        const url = new URL(`${wsUrl || baseUrl}api/kernels/${options.kernel}/channels`, location.href);
        url.protocol = url.protocol.replace("http", "ws");
        return url;
    };
    const random = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
    const connect = (url) => {
        const session = random(), made = { heard: new Map(), idle: new Map() };
        url.searchParams.set("session_id", session);
        const socket = new WebSocket(url);
        let open;
        made.opened = new Promise((resolve) => { open = resolve; });
        socket.onopen = open;
        made.close = () => socket.close();
        // resolves when the kernel has processed the message
        made.send = async (comm, data) => {
            await made.opened;
            if (socket.readyState !== 1) return;
            const header = { msg_id: random(), msg_type: "comm_msg", username: "", session, version: "5.3", date: new Date().toISOString() };
            const dealt = new Promise((resolve) => made.idle.set(header.msg_id, resolve));
            socket.send(JSON.stringify({ channel: "shell", header, parent_header: {}, metadata: {}, content: { comm_id: comm, data }, buffers: [] }));
            await dealt;
        };
        socket.onmessage = ({ data }) => {
            if (typeof data !== "string") return;
            const { header, parent_header: parent, content } = JSON.parse(data);
            if (header.msg_type === "comm_msg") made.heard.get(content.comm_id)?.forEach((hear) => hear(content.data));
            if (header.msg_type !== "status" || content.execution_state !== "idle") return;
            made.idle.get(parent.msg_id)?.();
            made.idle.delete(parent.msg_id);
        };
        socket.onclose = () => {
            if (shared.sockets.get(options.kernel) === made) shared.sockets.delete(options.kernel);
            open();
            for (const resolve of made.idle.values()) resolve();
            for (const hears of made.heard.values()) hears.forEach((hear) => hear({ tandem: 1, say: "The kernel does not answer any more: run the cell again" }));
        };
        return made;
    };
    const url = place();
    if (url && !shared.sockets.has(options.kernel)) shared.sockets.set(options.kernel, connect(url));
    const socket = url ? shared.sockets.get(options.kernel) : null;

    // ---- messages: relays the kernel's at once, and the frame's newest one when the kernel has processed the last

    let newest = null, busy = false;
    const toKernel = async () => {
        if (busy || !socket) return;
        busy = true;
        while (newest !== null) {
            const data = newest;
            newest = null;
            await socket.send(options.comm, data);
        }
        busy = false;
    };
    const fromFrame = (event) => {
        if (!event.source || event.source !== frame()?.contentWindow || event.data?.tandem !== 1) return;
        newest = event.data;
        toKernel();
    };
    window.addEventListener("message", fromFrame);
    const hear = (data) => {
        if (typeof data.piece === "string") take({ [data.piece]: data.text });
        else frame()?.contentWindow?.postMessage(data, "*");
    };
    if (socket) {
        if (!socket.heard.has(options.comm)) socket.heard.set(options.comm, new Set());
        socket.heard.get(options.comm).add(hear);
    }
    shared.gone.register(frame(), () => {
        window.removeEventListener("message", fromFrame);
        const hears = socket?.heard.get(options.comm);
        if (!hears) return;
        hears.delete(hear);
        if (hears.size === 0) socket.heard.delete(options.comm);
        if (socket.heard.size > 0) return;
        if (shared.sockets.get(options.kernel) === socket) shared.sockets.delete(options.kernel);
        socket.close();
    });

    // ---- the page

    const ready = () => {
        const template = shared.pieces.get(options.template), data = shared.pieces.get(options.data), [mark, begin, end] = options.marks;
        if (!frame()) return true;
        if (template === undefined || data === undefined) return false;
        frame().srcdoc = template.replace(mark, () => begin + data + end);
        return true;
    };
    shared.waiting.push(ready);
    take(given);
    const need = [options.template, options.data].filter((key) => !shared.pieces.has(key));
    if (need.length === 0) return;
    // cells can be displayed in any order
    frame().srcdoc = "<p>This page is in a cell above, or in the kernel: run the cell again.</p>";
    setTimeout(() => {
        if (need.some((key) => !shared.pieces.has(key))) socket?.send(options.comm, { need });
    }, 1000);
}
