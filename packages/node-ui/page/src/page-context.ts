import type { Route } from './route.ts';
import type { Session } from './session.ts';
import type { Store } from './store.ts';

/** What a view shows and how it asks to be shown anew. */
export interface PageContext {
  readonly store: Store;
  readonly session: Session;
  readonly route: Route;
  /** Renders the page soon. */
  update(): void;
}
