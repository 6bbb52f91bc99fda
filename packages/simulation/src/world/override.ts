/** Replaces methods of a part. */
export function override<T extends object>(part: T, methods: (part: T) => Partial<T>): T {
  const own = methods(part);
  return new Proxy(part, {
    get: (target, key) => (key in own ? own[key as keyof T] : Reflect.get(target, key)) as unknown,
  });
}
