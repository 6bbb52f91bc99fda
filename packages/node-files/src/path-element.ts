/** Returns a name that is one element of a path. @throws TypeError for any other */
export function pathElement(name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name))
    throw new TypeError(`${JSON.stringify(name)} is not a name of a directory`);
  return name;
}
