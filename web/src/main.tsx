import { render } from "preact";
import { App } from "./app";
import "./style/base.css";
import "./style/views.css";
import "./style/class.css";

const place = document.getElementById("app");
if (place !== null) render(<App />, place);
