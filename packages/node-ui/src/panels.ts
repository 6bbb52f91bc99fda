import { type CollectionKey, collectionKey } from '@rxlet/agent-api';
import { errorMessage } from '@rxlet/component-base';

/** A panel that a module shows on the page: plain data, which the page lays out. A module brings no code into the browser. */
export interface PagePanel {
  /** Unique; part of the address of the panel. */
  readonly name: string;
  readonly title: string;
  /** View that has the panel. */
  readonly view: 'node' | 'inside';
  /** Returns the current content. It is read every few seconds while the view is open. */
  read(): PanelContent | Promise<PanelContent>;
}

/** Content of a {@link PagePanel}: a table without columns is a list of names and values. */
export interface PanelContent {
  /** Sentence above the table. */
  readonly summary?: string;
  readonly columns?: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** Panels of modules. An agent without a page needs none. */
export const pagePanels: CollectionKey<PagePanel> = collectionKey('panels of the page', {
  isOptional: true,
  owns: ({ name }) => [`panel "${name}"`],
});

/** Rows of a panel that are sent; a module may have many things. */
const MAX_ROWS = 200;

/** A panel as the page gets it. */
export interface ShownPanel extends PanelContent {
  readonly name: string;
  readonly title: string;
}

/** Reads the panels of a view. A panel that fails shows why. */
export async function readPanels(
  panels: readonly PagePanel[],
  view: PagePanel['view'],
): Promise<readonly ShownPanel[]> {
  const shown = panels.filter((panel) => panel.view === view);
  return Promise.all(
    shown.map(async ({ name, title, read }): Promise<ShownPanel> => {
      try {
        const content = await read();
        return { name, title, ...content, rows: content.rows.slice(0, MAX_ROWS) };
      } catch (error) {
        return { name, title, summary: `cannot be read: ${errorMessage(error)}`, rows: [] };
      }
    }),
  );
}
