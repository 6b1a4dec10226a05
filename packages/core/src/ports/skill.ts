import { expected } from '../contract/index.js';

/** Instructions for a kind of task, which an agent reads when it has such a task. */
export interface Skill {
  /** 1-64 lower-case letters and digits, in words that are joined by `-`. */
  readonly name: string;
  /** What the skill does and when to use it: all that the model sees before it asks for the skill. At most 1,024 characters. */
  readonly description: string;
  /** What the model is given then. */
  readonly content: string;
}

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_024;
const OPTIONS = ['name', 'description', 'content'];

/** A checked skill. Rejects a wrong definition at once, with `LOUSHO_CONFIG_INVALID`. */
export function defineSkill(skill: Skill): Skill {
  const { name, description, content } = skill;
  if (typeof name !== 'string' || name.length > MAX_NAME || !NAME.test(name))
    throw expected('name', `1-${MAX_NAME} lower-case letters and digits, in words joined by -`, name);
  for (const option of Object.keys(skill)) {
    if (!OPTIONS.includes(option))
      throw expected(`skill ${name}`, `one of the options ${OPTIONS.join(', ')}`, option);
  }
  const isDescription = typeof description === 'string' && description.trim() !== '';
  if (!isDescription || description.length > MAX_DESCRIPTION)
    throw expected(`${name}.description`, `a text of at most ${MAX_DESCRIPTION} characters`, description);
  if (typeof content !== 'string' || content.trim() === '')
    throw expected(`${name}.content`, 'a text', content);
  return { name, description, content };
}
