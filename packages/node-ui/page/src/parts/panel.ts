import { html, nothing, type TemplateResult } from 'lit';
import type { ShownPanel } from '../../../src/panels.ts';
import { printable } from '../printable.ts';

/** The panel of a module. */
export function modulePanel({ title, summary, columns, rows }: ShownPanel): TemplateResult {
  const cell = (value: string | number): string => printable(String(value));
  return html`<h2 class="group">${printable(title)}</h2>
    <div class="panel scroll" tabindex="0" role="region" aria-label=${printable(title)}>
      ${summary === undefined ? nothing : html`<p class="summary">${printable(summary)}</p>`}
      ${
        rows.length === 0
          ? nothing
          : html`<table>
              ${
                columns === undefined
                  ? nothing
                  : html`<thead>
                      <tr>
                        ${columns.map((column) => html`<th scope="col">${printable(column)}</th>`)}
                      </tr>
                    </thead>`
              }
              <tbody>
                ${rows.map(
                  (row) =>
                    html`<tr>
                      ${row.map((value, index) =>
                        index === 0 && columns === undefined
                          ? html`<th scope="row">${cell(value)}</th>`
                          : html`<td>${cell(value)}</td>`,
                      )}
                    </tr>`,
                )}
              </tbody>
            </table>`
      }
    </div>`;
}
