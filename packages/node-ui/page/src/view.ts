import type { TemplateResult } from 'lit';
import type { PageContext } from './page-context.ts';

/** A view of the page. */
export interface View {
  /** Returns the content for the current state. */
  show(page: PageContext): TemplateResult;
  /** Ends what the view reads. Called when another view takes its place. */
  leave?(): void;
}
