/* SPDX-License-Identifier: MIT */
/* Switches between light, dark and system colors. furo has this too, but its script does not run everywhere: Debian's is a module loaded as a
   plain script. Then the page still has the class no-js after loading, and this script takes over. */
(function () {
    "use strict";
    const modes = ["auto", "light", "dark"], system = window.matchMedia("(prefers-color-scheme: dark)");
    let mode = "auto";
    try {
        mode = localStorage.getItem("theme") || "auto";
    } catch (error) {
        /* some browsers have no storage for local files */
    }
    function show() {
        document.body.dataset.theme = mode === "auto" ? (system.matches ? "dark" : "light") : mode;
    }
    function next() {
        mode = modes[(modes.indexOf(mode) + 1) % modes.length];
        try {
            localStorage.setItem("theme", mode);
        } catch (error) {
            /* then it applies to this page only */
        }
        show();
    }
    const root = document.documentElement;
    if (root.classList.contains("no-js")) {
        show();
    }
    window.addEventListener("load", function () {
        if (!root.classList.contains("no-js")) {
            return;
        }
        root.classList.remove("no-js");
        show();
        system.addEventListener("change", show);
        for (const button of document.getElementsByClassName("theme-toggle")) {
            button.addEventListener("click", next);
        }
    });
})();
