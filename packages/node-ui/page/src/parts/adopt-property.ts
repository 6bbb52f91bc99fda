/** Passes a property that was set before the element was defined to its accessor, which the property hides. */
export function adoptProperty<K extends string>(element: HTMLElement & { [P in K]: unknown }, name: K): void {
  if (!Object.hasOwn(element, name)) return;
  const value = element[name];
  delete (element as Partial<Record<K, unknown>>)[name];
  (element as Record<K, unknown>)[name] = value;
}
