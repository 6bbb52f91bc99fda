import { DeadlineExceededError, errorMessage, withDeadline } from '@rxlet/component-base';
import { resolvePath } from '../fs/file-system.ts';
import type { Command } from './command.ts';

/** Timeout of `wget` without `-T`: that of busybox. */
const WGET_TIMEOUT_SECONDS = 900;

/** `wget [-q] [-O FILE|-] [-T SECONDS] [--spider] http://HOST[:PORT][/PATH]` */
const wget: Command = async (args, context) => {
  const { options, rest } = optionsOf(args, 'OT');
  const url = URL.parse(rest.at(-1) ?? '');
  if (url?.protocol !== 'http:') {
    context.write('stderr', `wget: not an http or ftp url: ${rest.at(-1) ?? ''}\n`);
    return 1;
  }
  const timeoutMs = Number(options.get('T') ?? WGET_TIMEOUT_SECONDS) * 1000;
  try {
    const { status, body } = await withDeadline(context.clock, timeoutMs, context.signal, (signal) =>
      context.peers.httpGet(url.hostname, Number(url.port || 80), url.pathname + url.search, signal),
    );
    if (status >= 400) {
      context.write('stderr', `wget: server returned error: HTTP/1.1 ${String(status)}\n`);
      return 1;
    }
    if (rest.includes('--spider')) return 0;
    const file = options.get('O') ?? (url.pathname.split('/').at(-1) || 'index.html');
    if (file === '-') context.write('stdout', body);
    else context.files.write(resolvePath(context.workingDirectory, file), body, false);
    return 0;
  } catch (error) {
    context.signal.throwIfAborted();
    context.write(
      'stderr',
      `wget: ${error instanceof DeadlineExceededError ? 'download timed out' : errorMessage(error)}\n`,
    );
    return 1;
  }
};

/** `nc [-z] [-v] [-w SECONDS] HOST PORT`: checks whether the port can be reached, and sends nothing. */
const nc: Command = async (args, context) => {
  const { options, rest } = optionsOf(args, 'w');
  const [host = '', port = ''] = rest.filter((arg) => !arg.startsWith('-'));
  if (!/^\d+$/.test(port)) {
    context.write('stderr', 'nc: no host or port\n');
    return 1;
  }
  const timeoutMs = Number(options.get('w') ?? Infinity) * 1000;
  try {
    await withDeadline(context.clock, timeoutMs, context.signal, (signal) =>
      context.peers.connect(host, Number(port), signal),
    );
    return 0;
  } catch (error) {
    context.signal.throwIfAborted();
    context.write('stderr', `nc: ${error instanceof DeadlineExceededError ? 'timed out' : errorMessage(error)}\n`);
    return 1;
  }
};

/** Takes the options that have a value, also as the last of several letters (`-qO-`), out of the arguments. */
function optionsOf(args: readonly string[], withValue: string): { options: Map<string, string>; rest: string[] } {
  const options = new Map<string, string>();
  const rest: string[] = [];
  const pattern = new RegExp(`^-[A-Za-z]*?([${withValue}])(.*)$`);
  for (let at = 0; at < args.length; at += 1) {
    const [, name, value] = args[at]!.startsWith('--') ? [] : (pattern.exec(args[at]!) ?? []);
    if (name === undefined) rest.push(args[at]!);
    else options.set(name, value === '' ? (args[++at] ?? '') : value!);
  }
  return { options, rest };
}

export const NETWORK_COMMANDS: readonly (readonly [string, Command])[] = [
  ['wget', wget],
  ['nc', nc],
];
