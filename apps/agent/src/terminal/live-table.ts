import type { ImagePull } from '@rxlet/agent-api/images';
import type { Clock, Logger } from '@rxlet/component-base';
import { type CurrentValue, follow } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import { auditTime, interval, merge, NEVER, type Observable } from 'rxjs';
import { type Cell, formatTable, tableWidth } from '../output/table.ts';
import { pods as podKind } from '../resources/pods.ts';
import { byName, type Column } from '../resources/resource-kind.ts';
import { pullLines } from './pull-lines.ts';

/** The parts of a tty stream that the table uses. Its size is read at each drawing, so that it may change. */
export interface Screen {
  /** Width in columns; `0` when the terminal does not report its size, which then counts as 80 by 24. */
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
}

const CLEAR_BELOW = '\u001b[J';
const HOME = '\u001b[H';
const cursorUp = (lines: number): string => (lines === 0 ? '\r' : `\u001b[${String(lines)}A\r`);

/** Shortest time between two drawings. */
const SHORTEST_INTERVAL_MS = 200;

/** A table on the screen. */
export interface LiveTable extends Disposable {
  /** Writes a line above the table, where it stays. */
  printAbove(line: string): void;
}

/** Options of {@link showLiveTable}. */
export interface LiveTableOptions {
  /** Whether the table is coloured. Default: no. */
  readonly colors?: boolean;
  /** Image pulls, which are shown below the table. Default: none. */
  readonly pulls?: CurrentValue<readonly ImagePull[]> | undefined;
}

/**
 * Shows the pods as a table that is kept up to date until it is disposed of; the last state stays on the screen, with the cursor below it.
 * When there are more pods than lines, the first ones are shown and the others counted. A change of the screen's size takes effect within a second.
 */
export function showLiveTable(
  pods: { list(): readonly Pod[]; readonly changes$: Observable<unknown> },
  screen: Screen,
  clock: Clock,
  logger: Logger,
  { colors = false, pulls }: LiveTableOptions = {},
): LiveTable {
  let drawn: readonly string[] = [];
  let drawnFor: { columns: number; rows: number } | undefined;

  const draw = (): void => {
    const size = { columns: screen.columns || 80, rows: screen.rows || 24 };
    const nowMs = clock.now();
    const below = pullLines(pulls?.value ?? [], nowMs).map((line) => line.slice(0, size.columns));
    const room = { ...size, rows: Math.max(1, size.rows - below.length) };
    const lines = [...tableLines(pods.list(), room, nowMs, colors), ...below];
    const isResized = drawnFor !== undefined && (size.columns !== drawnFor.columns || size.rows !== drawnFor.rows);
    if (!isResized && lines.length === drawn.length && lines.every((line, index) => line === drawn[index])) return;
    // Terminals differ in how they rewrap lines when their size changes: redraw from the top.
    const start = isResized ? HOME : cursorUp(drawn.length);
    screen.write(`${start}${CLEAR_BELOW}${lines.map((line) => `${line}\n`).join('')}`);
    drawn = lines;
    drawnFor = size;
  };

  draw();
  const redraws$ = merge(
    merge(pods.changes$, pulls?.value$ ?? NEVER).pipe(auditTime(SHORTEST_INTERVAL_MS, clock.scheduler)),
    // Ages grow without any change.
    interval(1000, clock.scheduler),
  );
  const subscription = follow(redraws$, { task: 'drawing the table of pods', logger, next: draw });
  return {
    printAbove(line) {
      screen.write(`${cursorUp(drawn.length)}${CLEAR_BELOW}${line}\n`);
      drawn = [];
      draw();
    },
    [Symbol.dispose]: () => subscription.unsubscribe(),
  };
}

/** Returns the lines to draw: none wider than the screen, and one fewer than its height, because the cursor stands on the last. */
function tableLines(
  pods: readonly Pod[],
  { columns, rows }: { columns: number; rows: number },
  nowMs: number,
  colors: boolean,
): string[] {
  const lines = fittingTable(pods.toSorted(byName), columns, nowMs, colors);
  if (pods.length === 0) lines.push('no pods yet');
  const room = Math.max(1, rows - 1);
  const hidden = lines.length - room + 1;
  return lines.length <= room ? lines : [...lines.slice(0, room - 1), `… and ${String(hidden)} more`];
}

/** Returns a table of no more than `width` columns of text: columns are left out by their rank, and what is still too wide is cut. */
function fittingTable(pods: readonly Pod[], width: number, nowMs: number, colors: boolean): string[] {
  const layout = (columns: readonly Column<Pod>[]) => ({
    header: columns.map(({ title }) => title),
    rows: pods.map((pod) => columns.map((column) => column.cell(pod, nowMs))),
  });
  let columns = podKind.columns;
  let { header, rows } = layout(columns);
  while (tableWidth(header, rows) > width) {
    const rank = Math.max(...columns.map(({ dropRank = 0 }) => dropRank));
    if (rank === 0) break;
    columns = columns.filter(({ dropRank = 0 }) => dropRank !== rank);
    ({ header, rows } = layout(columns));
  }
  const fits = tableWidth(header, rows) <= width;
  // Only plain text can be cut.
  const lines = formatTable(header, rows satisfies readonly (readonly Cell[])[], { colors: colors && fits });
  return fits ? lines : lines.map((line) => line.slice(0, width).trimEnd());
}
