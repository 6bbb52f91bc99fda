import { inspect } from 'node:util';

/**
 * Creates an object whose `secret` properties can only be read: they are omitted from JSON, from `inspect()` and so from every log, from a spread and from a
 * list of its keys. `shown` appears instead.
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
