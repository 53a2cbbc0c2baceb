import type { VNode } from 'preact';
import { useId } from 'preact/hooks';

import type { Draft } from './draft.ts';
import type { Field } from './field.ts';

export interface FieldInputProps {
  readonly field: Field;
  /** The name of the field, if the schema has no title. */
  readonly name: string;
  readonly draft: Draft;
  readonly isRequired?: boolean;
  /** True if an element above already shows the name of the field. */
  readonly isNamed?: boolean;
  readonly onChange: (draft: Draft) => void;
}

/** The inputs of a field, and of the fields inside it. */
export function FieldInput(props: FieldInputProps): VNode | null {
  switch (props.field.kind) {
    case 'fixed':
      return null;
    case 'text':
    case 'number':
    case 'json':
      return <TextInput {...props} />;
    case 'either':
    case 'several':
      return <Ways {...props} ways={props.field.ways} isSeveral={props.field.kind === 'several'} />;
    case 'object':
      return <Members {...props} members={props.field.members} />;
  }
}

function TextInput({ field, name, draft, isRequired = true, isNamed, onChange }: FieldInputProps): VNode {
  const id = useId();
  const isLong = field.kind === 'json' || (field.kind === 'text' && field.isLong);
  const terms = {
    id,
    value: draft.text ?? '',
    'aria-describedby': field.hint === undefined ? undefined : `${id}-hint`,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onChange({ ...draft, text: currentTarget.value }),
  };
  return (
    <div class="field">
      <label for={id} class={isNamed === true ? 'unseen' : undefined}>
        {field.title ?? name}
        {field.kind === 'json' && ' (JSON)'}
        {!isRequired && <span class="state"> optional</span>}
      </label>
      {field.hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {field.hint}
        </p>
      )}
      {isLong ? (
        <textarea rows={field.kind === 'json' ? 5 : 2} spellcheck={field.kind === 'text'} {...terms} />
      ) : (
        <input type="text" inputMode={field.kind === 'number' ? 'decimal' : 'text'} {...terms} />
      )}
    </div>
  );
}

interface WaysProps extends FieldInputProps {
  readonly ways: readonly Field[];
  readonly isSeveral: boolean;
}

function Ways({
  field,
  name,
  draft,
  ways,
  isSeveral,
  isRequired = true,
  isNamed,
  onChange,
}: WaysProps): VNode {
  const id = useId();
  const { chosen = [], inside = {} } = draft;
  const choose = (index: number): void => {
    const others = chosen.filter((each) => each !== index);
    const isChosen = others.length < chosen.length;
    // An optional choice can be unselected.
    const isTakenBack = isChosen && (isSeveral || !isRequired);
    onChange({ ...draft, chosen: isTakenBack ? others : isSeveral ? [...others, index] : [index] });
  };
  return (
    <fieldset class="field">
      <legend class={isNamed === true ? 'unseen' : undefined}>
        {field.title ?? name}
        {!isRequired && <span class="state"> optional</span>}
      </legend>
      {field.hint !== undefined && <p class="hint">{field.hint}</p>}
      {ways.map((way, index) => (
        <div key={index} class="way">
          <label>
            <input
              type={isSeveral || !isRequired ? 'checkbox' : 'radio'}
              name={id}
              checked={chosen.includes(index)}
              onChange={() => choose(index)}
            />
            <span>
              {nameOf(way)}
              {way.kind === 'fixed' && way.hint !== undefined && <span class="hint">{way.hint}</span>}
            </span>
          </label>
          {chosen.includes(index) && way.kind !== 'fixed' && (
            <FieldInput
              field={way}
              name={nameOf(way)}
              isNamed
              draft={inside[String(index)] ?? {}}
              onChange={(next) => onChange({ ...draft, inside: { ...inside, [index]: next } })}
            />
          )}
        </div>
      ))}
    </fieldset>
  );
}

const namesOfWays: Readonly<Record<Field['kind'], string>> = {
  fixed: 'This',
  text: 'In your own words',
  number: 'A number',
  either: 'One of these',
  several: 'Any number of these',
  object: 'Fill in a form',
  json: 'As JSON',
};

function nameOf({ title, kind }: Field): string {
  return title ?? namesOfWays[kind];
}

interface MembersProps extends FieldInputProps {
  readonly members: Extract<Field, { readonly kind: 'object' }>['members'];
}

function Members({ field, draft, members, onChange }: MembersProps): VNode {
  const { inside = {} } = draft;
  return (
    <div class="members">
      {field.title !== undefined && <h4>{field.title}</h4>}
      {field.hint !== undefined && <p class="hint">{field.hint}</p>}
      {members.map((member) => (
        <FieldInput
          key={member.name}
          field={member.field}
          name={member.name}
          isRequired={member.isRequired}
          draft={inside[member.name] ?? {}}
          onChange={(next) => onChange({ ...draft, inside: { ...inside, [member.name]: next } })}
        />
      ))}
    </div>
  );
}
