import { nothing, render, type TemplateResult } from 'lit';
import { after } from './browser-clock.ts';
import { followAgent } from './follow-agent.ts';
import { frame } from './frame.ts';
import type { PageContext } from './page-context.ts';
import { parseRoute, type Route } from './route.ts';
import { NoSessionError, openSession, type Session } from './session.ts';
import { createStore } from './store.ts';
import type { View } from './view.ts';
import { podsView } from './views/pods.ts';

const store = createStore();
/** Absent until the page has opened its session. */
let session: Session | undefined;
let isScheduled = false;

/** Views that are loaded when they are shown first. */
const LAZY: Readonly<Record<Exclude<Route['view'], 'pods'>, () => Promise<View>>> = {
  pod: async () => (await import('./views/pod.ts')).podView,
  events: async () => (await import('./views/events.ts')).eventsView,
  node: async () => (await import('./views/node.ts')).nodeView,
  inside: async () => (await import('./views/inside.ts')).insideView,
};
const loaded = new Map<Route['view'], View>([['pods', podsView]]);
let current: View | undefined;

function currentView(page: PageContext): TemplateResult | typeof nothing {
  if (session === undefined) return nothing;
  const { view: name } = page.route;
  const view = loaded.get(name);
  if (view === undefined && name !== 'pods') {
    void LAZY[name]().then((lazy) => {
      loaded.set(name, lazy);
      update();
    });
  }
  if (view !== current) current?.leave?.();
  current = view;
  return view === undefined || store.connection.kind === 'closed' ? nothing : view.show(page);
}

function show(): void {
  isScheduled = false;
  const page: PageContext = {
    store,
    session: session ?? { allowsExec: false },
    route: parseRoute(location.hash),
    update,
  };
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
