import { render } from 'preact';

import { App } from './app.tsx';
import { Connection } from './state/connection.ts';

const place = document.querySelector('#app');
if (place !== null) render(<App connection={new Connection(location.origin, sessionStorage)} />, place);
