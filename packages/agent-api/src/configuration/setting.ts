declare const settingType: unique symbol;

/**
 * An option of a module that a kubelet does not have. Programs read it from the flag `--<name with dashes>`. The setting object itself is the key of its value;
 * see {@link SettingLookup}.
 */
export interface Setting<out T> {
  /** Name in camel case, unique among the modules of an agent. */
  readonly name: string;
  readonly kind: 'switch' | 'text' | 'number';
  /** Name of the value in `--help`; absent for a switch. */
  readonly argument?: string;
  /** Line of `--help`. */
  readonly help: string;
  readonly [settingType]?: T;
}

/** Creates a setting that is on or off. */
export function switchSetting(name: string, help: string): Setting<boolean> {
  return { name, kind: 'switch', help };
}

/** Creates a setting whose value is a text. */
export function textSetting(name: string, argument: string, help: string): Setting<string> {
  return { name, kind: 'text', argument, help };
}

/** Creates a setting whose value is a whole number from 0 on. */
export function numberSetting(name: string, argument: string, help: string): Setting<number> {
  return { name, kind: 'number', argument, help };
}

/** Values of settings. */
export interface SettingLookup {
  /** Returns the value of a setting; `undefined` when it is not set. A program sets every switch: one that is not given is false. */
  get<T>(setting: Setting<T>): T | undefined;
}
