import type { Clock, Logger } from '@rxlet/component-base';
import { follow } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import { auditTime, interval, merge, type Observable } from 'rxjs';
import { byName, formatPods } from '../commands/get-pods.ts';

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

/**
 * Shows the pods as a table that is kept up to date until it is disposed of; the last state stays on the screen, with the cursor below it.
 * When there are more pods than lines, the first ones are shown and the others counted. A change of the screen's size takes effect within a second.
 */
export function showLiveTable(
  pods: { list(): readonly Pod[]; readonly changes$: Observable<unknown> },
  screen: Screen,
  clock: Clock,
  logger: Logger,
): LiveTable {
  let drawn: readonly string[] = [];
  let drawnFor: { columns: number; rows: number } | undefined;

  const draw = (): void => {
    const size = { columns: screen.columns || 80, rows: screen.rows || 24 };
    const lines = tableLines(pods.list(), size, clock.now());
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
    pods.changes$.pipe(auditTime(SHORTEST_INTERVAL_MS, clock.scheduler)),
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
): string[] {
  const lines = formatPods(pods.toSorted(byName), 'wide', nowMs);
  if (pods.length === 0) lines.push('no pods yet');
  const room = Math.max(1, rows - 1);
  const hidden = lines.length - room + 1;
  const shown = lines.length <= room ? lines : [...lines.slice(0, room - 1), `… and ${String(hidden)} more`];
  return shown.map((line) => line.slice(0, columns).trimEnd());
}
