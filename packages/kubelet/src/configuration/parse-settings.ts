import { KubeletConfigurationError, type Setting, type SettingLookup } from '@rxlet/agent-api/configuration';
import { parseGoBoolean } from '@rxlet/component-base/go';
import { flagOfSetting, MODULE_SETTINGS } from './effects.ts';

/** Settings of a command line, and its other arguments. */
export interface ParsedSettings {
  readonly settings: SettingLookup;
  /** Arguments that are no settings. */
  readonly rest: readonly string[];
}

/**
 * Reads the settings of modules from a command line: `--flag=value`, `--flag value`, and `--flag` of a switch. The last value counts.
 *
 * @throws KubeletConfigurationError of stage `flags`
 */
export function parseSettings(
  args: readonly string[],
  settings: readonly Setting<unknown>[] = MODULE_SETTINGS,
): ParsedSettings {
  const byFlag = new Map(settings.map((setting) => [flagOfSetting(setting), setting]));
  const values = new Map<string, unknown>(
    settings.filter(({ kind }) => kind === 'switch').map(({ name }) => [name, false]),
  );
  const rest: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index]!;
    const [, flag = '', attached] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const setting = byFlag.get(flag);
    if (setting === undefined) rest.push(arg);
    else if (attached !== undefined) values.set(setting.name, parse(setting, attached));
    else if (setting.kind === 'switch') values.set(setting.name, true);
    else values.set(setting.name, parse(setting, args[(index += 1)]));
  }
  return { settings: { get: <T>({ name }: Setting<T>) => values.get(name) as T | undefined }, rest };
}

function parse(setting: Setting<unknown>, text: string | undefined): unknown {
  const reject = (problem: string): never => {
    throw new KubeletConfigurationError('flags', [problem]);
  };
  const flag = `--${flagOfSetting(setting)}`;
  if (text === undefined) return reject(`flag needs an argument: ${flag}`);
  if (setting.kind === 'switch')
    return parseGoBoolean(text) ?? reject(`invalid value "${text}" of flag ${flag}: it must be true or false`);
  if (setting.kind === 'text') return text;
  return /^\d{1,15}$/.test(text)
    ? Number(text)
    : reject(`invalid value "${text}" of flag ${flag}: it must be a whole number`);
}
