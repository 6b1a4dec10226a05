import { join } from 'node:path';
import { ConfigurationError } from '../contract/index.js';
import { defineSkill, type Skill } from '../ports/index.js';
import { frontMatter } from './front-matter.js';
import { late } from './late.js';

const fs = late(() => process.getBuiltinModule('node:fs'));

/**
 * The skills of a folder, by name: each `<name>/SKILL.md` whose front matter has the same `name` and a `description`. Throws
 * `LOUSHO_CONFIG_INVALID` for a folder that cannot be read and a SKILL.md that is not a skill. Folders without a SKILL.md are passed over.
 */
export function loadSkills(dir: string): readonly Skill[] {
  return foldersOf(dir).flatMap((name) => {
    const path = join(dir, name, 'SKILL.md');
    const text = textOf(path);
    return text === undefined ? [] : [skillOf(name, path, text)];
  });
}

function foldersOf(dir: string): readonly string[] {
  try {
    return fs().readdirSync(dir).toSorted();
  } catch (cause) {
    throw notASkill(`the folder ${dir} cannot be read`, cause);
  }
}

function textOf(path: string): string | undefined {
  try {
    return fs().readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw notASkill(`${path} cannot be read`, cause);
  }
}

function skillOf(folder: string, path: string, text: string): Skill {
  const found = frontMatter(text);
  if (!found)
    throw notASkill(`${path} has no front matter: it begins with \`---\`, \`name:\` and \`description:\``);
  const [name, description] = [found.fields.get('name'), found.fields.get('description')];
  if (name !== folder) throw notASkill(`${path} has the name ${name}, and not that of its folder`);
  try {
    return defineSkill({ name, description: description as string, content: found.body.trim() });
  } catch (cause) {
    throw notASkill(`${path} is not a skill`, cause);
  }
}

function notASkill(detail: string, cause?: unknown): ConfigurationError {
  const reason = cause instanceof Error ? `: ${'detail' in cause ? cause.detail : cause.message}` : '';
  return new ConfigurationError(`${detail}${reason}`, { field: 'skills', cause });
}
