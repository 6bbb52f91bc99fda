import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import type { ContainerRow } from '../../../src/stream/messages.ts';
import { printable } from '../printable.ts';
import { requestTicket } from '../session.ts';
import { adoptProperty } from './adopt-property.ts';
import { adoptStyles } from './adopt-styles.ts';
import { openCommand, type CommandStream } from './command-stream.ts';

/** Pod whose containers have a terminal. */
interface TerminalPod {
  readonly namespace: string;
  readonly name: string;
  readonly containers: readonly ContainerRow[];
}

/** A shell that most images have. */
const SHELL = 'sh';

/** A terminal in a container of a pod. */
class TerminalElement extends HTMLElement {
  private shown: TerminalPod | undefined;
  private stream: CommandStream | undefined;
  private terminal: Terminal | undefined;
  private screen!: HTMLElement;
  private status!: HTMLElement;
  private readonly observer = new ResizeObserver(() => this.fit?.fit());
  private fit: FitAddon | undefined;

  get pod(): TerminalPod | undefined {
    return this.shown;
  }

  set pod(pod: TerminalPod) {
    const isSame = this.shown?.namespace === pod.namespace && this.shown.name === pod.name;
    this.shown = pod;
    if (this.isConnected && !isSame) this.build();
  }

  connectedCallback(): void {
    adoptProperty(this, 'pod');
    this.build();
  }

  disconnectedCallback(): void {
    this.close();
  }

  private build(): void {
    this.close();
    this.className = 'terminal';
    const toolbar = document.createElement('div');
    toolbar.className = 'toolbar';
    const select = document.createElement('select');
    select.setAttribute('aria-label', 'Container');
    for (const { name, state } of this.shown?.containers ?? []) {
      if (state === 'running') select.add(new Option(printable(name), name));
    }
    const command = document.createElement('input');
    command.className = 'command';
    command.value = SHELL;
    command.spellcheck = false;
    command.setAttribute('aria-label', 'Command');
    const open = document.createElement('button');
    open.type = 'button';
    open.className = 'action';
    open.textContent = 'Run';
    open.disabled = select.options.length === 0;
    open.addEventListener('click', () => void this.open(select.value, command.value));
    this.status = document.createElement('span');
    this.status.className = 'dim';
    this.status.setAttribute('role', 'status');
    this.status.textContent = select.options.length === 0 ? 'no container runs' : '';
    this.screen = document.createElement('div');
    this.screen.className = 'screen panel';
    toolbar.append(select, command, open, this.status);
    this.replaceChildren(toolbar, this.screen);
  }

  private async open(container: string, command: string): Promise<void> {
    this.close();
    adoptStyles();
    const { namespace, name } = this.shown!;
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const terminal = new Terminal({
      fontFamily: getComputedStyle(this).getPropertyValue('--mono'),
      fontSize: 13,
      cursorBlink: false,
      scrollback: 5000,
      screenReaderMode: true,
      theme: dark
        ? { background: '#151a21', foreground: '#e4e8ed', cursor: '#e4e8ed' }
        : { background: '#ffffff', foreground: '#1b2027', cursor: '#1b2027', selectionBackground: '#b9d5f7' },
      // Output of a container reaches neither the clipboard nor the title, and opens no address.
      allowProposedApi: false,
      linkHandler: { activate: () => undefined },
    });
    for (const code of [0, 1, 2, 8, 52]) terminal.parser.registerOscHandler(code, () => true);
    this.fit = new FitAddon();
    terminal.loadAddon(this.fit);
    terminal.open(this.screen);
    this.fit.fit();
    this.observer.observe(this.screen);
    this.terminal = terminal;
    const query = new URLSearchParams({ input: '1', output: '1', tty: '1' });
    for (const word of command.split(/\s+/).filter(Boolean)) query.append('command', word);
    const path = ['exec', namespace, name, container].map(encodeURIComponent).join('/');
    try {
      const { url, ticket } = await requestTicket(`${path}?${query.toString()}`);
      this.status.textContent = 'connecting';
      this.stream = openCommand(url, ticket, {
        opened: () => {
          this.status.textContent = `connected to ${printable(container)}`;
          this.stream?.resize(terminal.cols, terminal.rows);
          terminal.focus();
        },
        output: (bytes) => terminal.write(bytes),
        ended: (reason) => {
          this.status.textContent = printable(reason);
          terminal.options.disableStdin = true;
        },
      });
      terminal.onData((data) => this.stream?.input(data));
      terminal.onResize(({ cols, rows }) => this.stream?.resize(cols, rows));
    } catch (error) {
      this.status.textContent = printable((error as Error).message);
    }
  }

  private close(): void {
    this.observer.disconnect();
    this.stream?.close();
    this.stream = undefined;
    this.terminal?.dispose();
    this.terminal = undefined;
  }
}

/** Makes `rx-terminal` known to the browser. */
export function defineTerminalElement(): void {
  if (customElements.get('rx-terminal') === undefined) customElements.define('rx-terminal', TerminalElement);
}
