import { readFileSync } from 'node:fs';

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Whom a server runs as that refuses to run as root; `undefined` when this process is not root. */
export function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const found = users.find((fields) => fields[0] === name);
    if (found) return { uid: Number(found[2]), gid: Number(found[3]) };
  }
  throw new Error(
    'Postgres does not run as root: add a user named postgres, or run the tests as another user',
  );
}
