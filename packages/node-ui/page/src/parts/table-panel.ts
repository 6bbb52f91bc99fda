import { html, nothing, type TemplateResult } from 'lit';

/** A table in a panel that scrolls by itself, also by keyboard. `label` is for screen readers. Without `columns` the table has no head. */
export function tablePanel(label: string, columns: readonly string[], rows: unknown): TemplateResult {
  return html`<div class="panel scroll" tabindex="0" role="region" aria-label=${label}>
    <table>
      ${
        columns.length === 0
          ? nothing
          : html`<thead>
              <tr>
                ${columns.map((column) => html`<th scope="col">${column}</th>`)}
              </tr>
            </thead>`
      }
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}
