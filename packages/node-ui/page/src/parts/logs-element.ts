import type { ContainerRow } from '../../../src/stream/messages.ts';
import { after } from '../browser-clock.ts';
import { printable } from '../printable.ts';
import { get } from '../session.ts';
import { adoptProperty } from './adopt-property.ts';
import { parseAnsi } from './ansi.ts';

/** Pod whose logs are shown. */
export interface LogsPod {
  readonly namespace: string;
  readonly name: string;
  readonly containers: readonly ContainerRow[];
}

/** Lines that stay; older ones go. */
const MAX_LINES = 5000;
const TAIL_LINES = 500;
/** A browser has six connections to one server, of which two are for the page itself. */
const MAX_FOLLOWED = 4;
const RETRY_MS = 2000;

interface Line {
  readonly time: string;
  readonly container: string;
  readonly text: string;
}

/** The logs of a pod's containers, merged by time, with search. */
class LogsElement extends HTMLElement {
  private shown: LogsPod | undefined;
  private readonly chosen = new Set<string>();
  private isPrevious = false;
  private isFollowing = true;
  private query = '';
  private lines: Line[] = [];
  private pending: Line[] = [];
  private reading = new AbortController();
  private isScheduled = false;
  private body!: HTMLElement;
  private status!: HTMLElement;
  private choices!: HTMLElement;
  private following!: HTMLInputElement;

  get pod(): LogsPod | undefined {
    return this.shown;
  }

  set pod(pod: LogsPod) {
    const isSame = this.shown?.namespace === pod.namespace && this.shown.name === pod.name;
    const hadContainers = this.shown?.containers.length;
    this.shown = pod;
    if (!isSame) {
      this.chosen.clear();
      const regular = pod.containers.filter(({ kind }) => kind === 'regular');
      for (const { name } of regular.slice(0, MAX_FOLLOWED)) this.chosen.add(name);
    }
    if (!this.isConnected) return;
    if (!isSame || hadContainers !== pod.containers.length) this.build();
    if (!isSame) this.restart();
  }

  connectedCallback(): void {
    adoptProperty(this, 'pod');
    this.build();
    this.restart();
  }

  disconnectedCallback(): void {
    this.reading.abort();
  }

  private build(): void {
    this.className = 'logs';
    this.choices = element('div', 'toolbar');
    for (const { name } of this.shown?.containers ?? []) {
      this.choices.append(
        toggle(name, this.chosen.has(name), (isOn) => {
          if (isOn) this.chosen.add(name);
          else this.chosen.delete(name);
          this.restart();
        }),
      );
    }
    const follow = toggle('follow', this.isFollowing, (isOn) => {
      this.isFollowing = isOn;
      if (isOn) this.body.scrollTop = this.body.scrollHeight;
    });
    // Not by its name, which a container may have as well.
    this.following = follow.querySelector('input')!;
    this.choices.append(
      toggle('previous', this.isPrevious, (isOn) => {
        this.isPrevious = isOn;
        this.restart();
      }),
      follow,
    );
    const search = element('input', 'filter');
    search.type = 'search';
    search.placeholder = 'Search in the lines  ( / )';
    search.setAttribute('aria-label', 'Search in the lines');
    search.value = this.query;
    search.addEventListener('input', () => {
      this.query = search.value;
      this.renderAll();
    });
    this.status = element('span', 'dim');
    this.status.setAttribute('role', 'status');
    this.choices.append(search, this.status);
    this.body = element('div', 'log-lines panel');
    this.body.tabIndex = 0;
    this.body.setAttribute('role', 'log');
    this.body.setAttribute('aria-label', 'Log lines');
    this.body.setAttribute('aria-live', 'off');
    this.body.addEventListener('scroll', () => {
      const isAtEnd = this.body.scrollHeight - this.body.scrollTop - this.body.clientHeight < 40;
      if (isAtEnd === this.isFollowing) return;
      this.isFollowing = isAtEnd;
      this.following.checked = isAtEnd;
    });
    this.replaceChildren(this.choices, this.body);
  }

  private restart(): void {
    this.reading.abort();
    this.reading = new AbortController();
    this.lines = [];
    this.pending = [];
    this.renderAll();
    const names = [...this.chosen];
    const followed = names.slice(0, MAX_FOLLOWED);
    this.status.textContent =
      names.length > MAX_FOLLOWED ? `of ${String(MAX_FOLLOWED)} containers at once; deselect one to see another` : '';
    for (const name of followed) void this.read(name, this.reading.signal);
  }

  private async read(container: string, signal: AbortSignal): Promise<void> {
    const { namespace, name } = this.shown!;
    const path = ['containerLogs', namespace, name, container].map(encodeURIComponent).join('/');
    let since = '';
    while (!signal.aborted) {
      const start = since === '' ? `tailLines=${String(TAIL_LINES)}` : `sinceTime=${encodeURIComponent(since)}`;
      const flags = `timestamps=true&follow=${String(!this.isPrevious)}&previous=${String(this.isPrevious)}`;
      try {
        const { body } = await get(`${path}?${start}&${flags}`, signal);
        let rest = '';
        const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
        for await (const piece of body!.pipeThrough(decoder)) {
          const parts = (rest + piece).split('\n');
          rest = parts.pop()!;
          for (const part of parts) {
            const space = part.indexOf(' ');
            const time = part.slice(0, space);
            // A line that was there before the cut comes again.
            if (time <= since) continue;
            since = time;
            this.pending.push({ time, container, text: part.slice(space + 1) });
          }
          this.schedule();
        }
        if (this.isPrevious) return;
      } catch (error) {
        if (signal.aborted) return;
        this.status.textContent = (error as Error).message;
        if (this.isPrevious) return;
      }
      await new Promise<void>((resolve) => after(RETRY_MS, resolve));
    }
  }

  /** Adds the lines that came, at most once a frame. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame(() => {
      this.isScheduled = false;
      const added = this.pending.sort((a, b) => (a.time < b.time ? -1 : 1));
      this.pending = [];
      const last = this.lines.at(-1)?.time ?? '';
      const isInOrder = added.length === 0 || added[0]!.time >= last;
      this.lines.push(...added);
      if (!isInOrder) this.lines.sort((a, b) => (a.time < b.time ? -1 : 1));
      const excess = this.lines.length - MAX_LINES;
      if (excess > 0) this.lines.splice(0, excess);
      if (!isInOrder || this.query !== '') this.renderAll();
      else {
        this.body.append(...added.slice(-MAX_LINES).map((line) => this.lineElement(line)));
        while (this.body.childElementCount > MAX_LINES) this.body.firstElementChild!.remove();
        this.keepEnd();
      }
    });
  }

  private renderAll(): void {
    const query = this.query.toLowerCase();
    const matching = query === '' ? this.lines : this.lines.filter(({ text }) => text.toLowerCase().includes(query));
    this.body.replaceChildren(...matching.map((line) => this.lineElement(line)));
    if (query !== '') this.status.textContent = `${String(matching.length)} of ${String(this.lines.length)} lines`;
    this.keepEnd();
  }

  private keepEnd(): void {
    if (this.isFollowing) this.body.scrollTop = this.body.scrollHeight;
  }

  private lineElement({ time, container, text }: Line): HTMLElement {
    const line = element('div', 'line');
    const when = element('span', 'time');
    when.textContent = printable(time.slice(11, 23));
    when.title = printable(time);
    line.append(when);
    if (this.chosen.size > 1) {
      const from = element('span', `from from-${String([...this.chosen].indexOf(container) % 4)}`);
      from.textContent = printable(container);
      line.append(from);
    }
    const content = element('span', 'text');
    for (const { text: part, classes } of parseAnsi(text)) {
      const span = element('span', classes);
      appendMarked(span, part, this.query);
      content.append(span);
    }
    line.append(content);
    return line;
  }
}

/** Appends text, with what was searched for marked. */
function appendMarked(target: HTMLElement, text: string, query: string): void {
  if (query === '') {
    target.append(text);
    return;
  }
  const lower = text.toLowerCase();
  const wanted = query.toLowerCase();
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    const mark = document.createElement('mark');
    mark.textContent = text.slice(at, at + wanted.length);
    target.append(text.slice(from, at), mark);
    from = at + wanted.length;
  }
  target.append(text.slice(from));
}

function toggle(name: string, isOn: boolean, change: (isOn: boolean) => void): HTMLElement {
  const label = element('label', 'toggle');
  const box = element('input', '');
  box.type = 'checkbox';
  box.checked = isOn;
  box.addEventListener('change', () => change(box.checked));
  label.append(box, printable(name));
  return label;
}

function element<K extends keyof HTMLElementTagNameMap>(tag: K, className: string): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  return made;
}

/** Makes `rx-logs` known to the browser. */
export function defineLogsElement(): void {
  if (customElements.get('rx-logs') === undefined) customElements.define('rx-logs', LogsElement);
}
