import type { Route } from './route.ts';
import type { Session } from './session.ts';
import type { Store } from './store.ts';

/** State that a view shows, and the way to have it rendered again. */
export interface PageContext {
  readonly store: Store;
  readonly session: Session;
  readonly route: Route;
  /** Renders the page soon. */
  update(): void;
}
