import { inspect } from 'node:util';

/**
 * An object whose `secret` properties can be read and nothing else: they are left out of JSON, of `inspect()` and so of every log, of a spread and of
 * a listing of its keys. `shown` is what a person sees instead.
 */
export function hide<Shown extends object, Secret extends object>(
  shown: Shown,
  secret: Secret,
): Readonly<Shown & Secret> {
  const visible = { ...shown };
  const hidden: PropertyDescriptorMap = {
    toJSON: { value: () => visible },
    [inspect.custom]: { value: () => visible },
  };
  for (const key of Object.keys(secret) as (keyof Secret & string)[]) {
    // A getter, because `inspect` with `showHidden` prints the values of properties that are not enumerable.
    hidden[key] = { get: () => secret[key] };
  }
  return Object.defineProperties({ ...shown }, hidden) as Readonly<Shown & Secret>;
}
