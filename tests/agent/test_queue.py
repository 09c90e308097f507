import pytest

from pi_tui.agent.queue import MAX_QUEUED, MessageQueue, QueuedMessage, QueueFullError
from pi_tui.llm.messages import ImageContent, TextContent, UserMessage, text_of

IMAGE = ImageContent("aGk=", "image/png")


def user(text, *images):
    return UserMessage([TextContent(text), *images], 1)


def texts(messages):
    return [text_of(message.content) for message in messages]


def filled(**modes):
    queue = MessageQueue(**modes)
    for text in ("s1", "s2"):
        queue.steer(user(text))
    for text in ("f1", "f2"):
        queue.follow_up(user(text))
    return queue


def test_one_at_a_time_each_taking_takes_the_oldest_of_its_kind():
    queue = filled()
    assert texts(queue.take_steering()) == ["s1"]
    assert texts(queue.take_follow_ups()) == ["f1"]
    assert (queue.steering_texts, queue.follow_up_texts) == (["s2"], ["f2"])


def test_in_mode_all_one_taking_takes_all_of_its_kind():
    queue = filled(steering_mode="all", follow_up_mode="all")
    assert texts(queue.take_steering()) == ["s1", "s2"]
    assert queue.follow_up_texts == ["f1", "f2"]
    assert texts(queue.take_follow_ups()) == ["f1", "f2"]


def test_a_mode_can_change_while_messages_wait():
    queue = filled()
    queue.steering_mode = "all"
    assert texts(queue.take_steering()) == ["s1", "s2"]


def test_taking_back_gives_texts_with_their_images_and_leaves_nothing():
    queue = MessageQueue()
    queue.follow_up(user("f", IMAGE))
    queue.steer(user("s"))
    queue.steer(UserMessage("plain", 1))
    assert queue.take_back() == [QueuedMessage("s"), QueuedMessage("plain"), QueuedMessage("f", (IMAGE,))]
    assert queue.take_back() == [] and queue.take_steering() == [] and queue.take_follow_ups() == []


def test_a_message_is_of_the_moment_it_is_delivered():
    queue = MessageQueue()
    queue.steer(user("s", IMAGE))
    (message,) = queue.take_steering()
    assert message.timestamp > 1 and message.content == [TextContent("s"), IMAGE]


def test_every_change_is_told_and_nothing_else():
    told = []
    queue = MessageQueue(on_change=lambda: told.append((queue.steering_texts, queue.follow_up_texts)))
    queue.steer(user("s"))
    queue.follow_up(user("f"))
    queue.take_steering()
    queue.take_steering()
    queue.take_back()
    queue.take_back()
    assert told == [(["s"], []), (["s"], ["f"]), ([], ["f"]), ([], [])]


def test_a_full_queue_says_so_and_keeps_what_it_has():
    queue = MessageQueue()
    for number in range(MAX_QUEUED):
        queue.steer(user(str(number)))
    with pytest.raises(QueueFullError, match=str(MAX_QUEUED)):
        queue.follow_up(user("one more"))
    assert len(queue.take_back()) == MAX_QUEUED
