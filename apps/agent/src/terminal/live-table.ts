import type { Clock } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { auditTime, interval, merge, type Observable } from 'rxjs';
import { byName, formatPods } from '../commands/get-pods.ts';

/** The parts of a tty stream that the table uses. Its size is read at each drawing, so that it may change. */
export interface Screen {
  /** `0` where the terminal does not tell, which is then taken for 80 by 24. */
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
}

const CLEAR_BELOW = '\u001b[J';
const HOME = '\u001b[H';
const cursorUp = (lines: number): string => (lines === 0 ? '\r' : `\u001b[${String(lines)}A\r`);

/** At most so often the screen is drawn, however much changes. */
const SHORTEST_INTERVAL_MS = 200;

/** A table on the screen. */
export interface LiveTable extends Disposable {
  /** Writes a line above the table, where it stays. */
  note(line: string): void;
}

/**
 * Shows the pods as a table that keeps itself up to date until disposed of; the last state stays on the screen, with the cursor below it.
 * Of more pods than the screen has lines for, the first ones are shown and the rest counted. Changes of the screen's size are followed within a second.
 */
export function showLiveTable(
  pods: { list(): readonly Pod[]; readonly changes$: Observable<unknown> },
  screen: Screen,
  clock: Clock,
): LiveTable {
  let drawn: readonly string[] = [];
  let drawnFor: { columns: number; rows: number } | undefined;

  const draw = (): void => {
    const size = { columns: screen.columns || 80, rows: screen.rows || 24 };
    const lines = tableLines(pods.list(), size, clock.now());
    const isResized = drawnFor !== undefined && (size.columns !== drawnFor.columns || size.rows !== drawnFor.rows);
    if (!isResized && lines.length === drawn.length && lines.every((line, index) => line === drawn[index])) return;
    // What a terminal makes of the lines on it when its size changes is its own affair: begin anew at the top.
    const start = isResized ? HOME : cursorUp(drawn.length);
    screen.write(`${start}${CLEAR_BELOW}${lines.map((line) => `${line}\n`).join('')}`);
    drawn = lines;
    drawnFor = size;
  };

  draw();
  const subscription = merge(
    pods.changes$.pipe(auditTime(SHORTEST_INTERVAL_MS, clock.scheduler)),
    // Ages grow without any change.
    interval(1000, clock.scheduler),
  ).subscribe(draw);
  return {
    note(line) {
      screen.write(`${cursorUp(drawn.length)}${CLEAR_BELOW}${line}\n`);
      drawn = [];
      draw();
    },
    [Symbol.dispose]: () => subscription.unsubscribe(),
  };
}

/** The lines to show, none of them wider than the screen, one fewer than it is high: the cursor stands on the last. */
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
