import type { RunResult } from '../run/run-plan.ts';
import { describeEvent } from './describe-event.ts';
import { describeFailure, formatTime, type ReportContext } from './failure-report.ts';

const STYLE = `body{font:14px system-ui,sans-serif;margin:2em;color:#222;background:#fff}
pre{background:#f4f4f4;padding:1em;overflow:auto}
table{border-collapse:collapse;width:100%}td{padding:2px 8px;vertical-align:top;border-bottom:1px solid #eee;font-family:ui-monospace,monospace;font-size:12px}
td:first-child{white-space:nowrap;color:#666}
tr.world td{background:#fff8e1}tr.agent td:nth-child(2){color:#00509d}tr.runtime td:nth-child(2){color:#2e7d32}tr.status td:nth-child(2){color:#6a1b9a}
tr.phase td{background:#e8eaf6;font-weight:600}tr.failed td{background:#ffebee;color:#b71c1c;font-weight:600}`;

/** Returns the report of a failure as one HTML page without scripts and without other files. */
export function htmlReport(result: RunResult, context: ReportContext): string {
  const { history, violations, plan } = result;
  const rows = [
    ...history.map((event) => {
      const { text, ...described } = describeEvent(event);
      return { atMs: event.atMs, ...described, text: event.node === undefined ? text : `${event.node}: ${text}` };
    }),
    ...violations.map(({ atMs, property, text }) => ({ atMs, group: 'failed', text: `${property}: ${text}`, uid: '' })),
  ].toSorted((a, b) => a.atMs - b.atMs);
  const table = rows.map(
    ({ atMs, group, uid = '', text }) =>
      `<tr class="${escapeHtml(group)}"><td>${formatTime(atMs)}</td><td>${escapeHtml(group)}</td><td>${escapeHtml(uid)}</td><td>${escapeHtml(text)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Seed ${escapeHtml(String(plan.seed))}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Seed ${escapeHtml(String(plan.seed))}</h1>
<pre>${escapeHtml(describeFailure(result, context).join('\n'))}</pre>
<table>
${table.join('\n')}
</table>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
