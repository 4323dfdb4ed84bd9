/* SPDX-License-Identifier: MIT */
/* Light, dark, or as the system has it. furo does so itself; where its script does not run (Debian's is a module that is loaded as a plain
   script) the page still has the class no-js when it is loaded, and this takes over. */
(function () {
    "use strict";
    const modes = ["auto", "light", "dark"], system = window.matchMedia("(prefers-color-scheme: dark)");
    let mode = "auto";
    try {
        mode = localStorage.getItem("theme") || "auto";
    } catch (error) {
        /* files of some browsers have no storage */
    }
    function show() {
        document.body.dataset.theme = mode === "auto" ? (system.matches ? "dark" : "light") : mode;
    }
    function next() {
        mode = modes[(modes.indexOf(mode) + 1) % modes.length];
        try {
            localStorage.setItem("theme", mode);
        } catch (error) {
            /* then it holds for this page */
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
