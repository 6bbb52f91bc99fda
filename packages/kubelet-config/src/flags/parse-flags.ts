import { errorMessage } from '@rxlet/component-base';
import { type KubeletConfiguration, KubeletConfigurationError } from '@rxlet/component-base/kubelet-configuration';
import { FLAGS } from './flag-table.ts';

/** A command line of the kubelet. */
export interface ParsedFlags {
  /** Values by flag, with dashes in the name. */
  readonly values: ReadonlyMap<string, unknown>;
}

/**
 * Parses a command line as the kubelet does: `--flag=value`, `--flag value`, `--flag` of a boolean, `_` for `-` in names, `-v`.
 * @throws KubeletConfigurationError of stage `flags`
 */
export function parseFlags(args: readonly string[]): ParsedFlags {
  const values = new Map<string, unknown>();
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [, dashes = '', rawName = '', given] = /^(--?)([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
    if (arg === '--' || dashes === '') reject(`unknown command ${arg === '--' ? (rest[0] ?? '') : arg}`);
    const short = dashes === '-' ? /^v(.*)$/s.exec(rawName) : null;
    const name = dashes === '-' ? (short === null ? '' : 'v') : rawName.replaceAll('_', '-');
    const spec = FLAGS.get(name);
    if (spec === undefined) return reject(`unknown flag: ${dashes}${rawName}`);
    const attached = given ?? (short?.[1] ? short[1] : undefined);
    const value = attached ?? (spec.isBoolean ? 'true' : rest.shift());
    if (value === undefined) return reject(`flag needs an argument: --${name}`);
    try {
      values.set(name, spec.parse(value, values.get(name)));
    } catch (error) {
      reject(`invalid value${spec.isSecret ? '' : ` "${value}"`} of flag --${name}: ${errorMessage(error)}`);
    }
  }
  return { values };
}

function reject(message: string): never {
  throw new KubeletConfigurationError('flags', [message]);
}

/** Experimental options of the log. In the kubelet only flags set them: registering the flags resets the values of the file. */
const FLAG_ONLY_PATHS: readonly (readonly string[])[] = [
  ['logging', 'options', 'text', 'splitStream'],
  ['logging', 'options', 'json', 'splitStream'],
];

/** Applies the flags to a configuration. Feature gates are merged by name, levels of `--vmodule` are added, everything else is replaced. */
export function applyFlags(configuration: KubeletConfiguration, { values }: ParsedFlags): KubeletConfiguration {
  let applied = configuration;
  for (const path of FLAG_ONLY_PATHS) applied = setAt(applied, path, false);
  for (const [name, value] of values) {
    const path = FLAGS.get(name)?.path;
    if (path === undefined) continue;
    applied = setAt(applied, path, addToField(configuration, name, value));
  }
  return applied;
}

/** Returns the value of a flag together with that of its field, where the flag adds to it. */
function addToField({ featureGates, logging }: KubeletConfiguration, flag: string, value: unknown): unknown {
  if (flag === 'feature-gates') return { ...featureGates, ...(value as object) };
  if (flag === 'vmodule') return [...(logging?.vmodule ?? []), ...(value as readonly unknown[])];
  return value;
}

/** Returns the paths of the fields that the flags set. */
export function flagPaths({ values }: ParsedFlags): string[] {
  return [...values.keys()].flatMap((name) => FLAGS.get(name)?.path?.join('.') ?? []);
}

function setAt(object: object | undefined, [first, ...rest]: readonly string[], value: unknown): object {
  const current = (object as Record<string, unknown> | undefined)?.[first!] as object | undefined;
  return { ...object, [first!]: rest.length === 0 ? value : setAt(current, rest, value) };
}
