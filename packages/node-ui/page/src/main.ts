import { html, type nothing, render, type TemplateResult } from 'lit';
import { after } from './browser-clock.ts';
import { followAgent } from './follow-agent.ts';
import { frame } from './frame.ts';
import type { PageContext } from './page-context.ts';
import { parseRoute } from './route.ts';
import { NoSessionError, openSession, type Session } from './session.ts';
import { createStore } from './store.ts';
import { podsView } from './views/pods.ts';

const store = createStore();
let session: Session = { allowsExec: false };
let isScheduled = false;

function currentView(page: PageContext): TemplateResult | typeof nothing {
  switch (page.route.view) {
    case 'pods':
      return podsView(page);
    default:
      return html`<p class="empty">Nothing here yet.</p>`;
  }
}

function show(): void {
  isScheduled = false;
  const page: PageContext = { store, session, route: parseRoute(location.hash), update };
  document.title = `${store.node === '' ? '' : `${store.node} · `}rxlet`;
  render(frame(page, currentView(page)), document.body);
}

/** Renders once for all changes until the next frame. */
function update(): void {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(show);
}

/** Ages grow while nothing else changes. */
function keepAges(): void {
  after(1000, () => {
    if (!document.hidden) update();
    keepAges();
  });
}

async function start(): Promise<void> {
  update();
  try {
    session = await openSession();
  } catch (error) {
    if (!(error instanceof NoSessionError)) throw error;
    store.connection = { kind: 'closed' };
    update();
    return;
  }
  addEventListener('hashchange', () => {
    scrollTo(0, 0);
    update();
  });
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
    const filter = document.querySelector<HTMLInputElement>('input.filter');
    if (filter === null) return;
    event.preventDefault();
    filter.focus();
  });
  keepAges();
  await followAgent(store, update, new AbortController().signal);
}

void start();
