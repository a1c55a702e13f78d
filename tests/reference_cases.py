"""Positions for the rulings that positions.txt does not show, their moves worked out by hand from RULES.md.

A case: a title with the ruling, `@` rules, the position, then every legal move and the pawns after it. With a line
`...` there are other moves too; `! MOVE` must not be legal.
"""

CASES = """
# 1.3 A pawn on its own diamond goes on round the ring
@ classic
R:3,H,H,H/Y:S,S,S,S r 1 *
  1:3>4  =  R:4,H,H,H/Y:S,S,S,S

# 1.4 A zone square is free whatever another colour has in its own
@ classic
R:0,H,H,H/Y:S,S,S,s2 r 5 *
  5:0>s2  =  R:s2,H,H,H/Y:S,S,S,s2

# 3.7 Own pawn on the zone square counted to
@ classic
R:0,s2,H,H/Y:S,S,S,S r 5 *
  pass  =  R:0,s2,H,H/Y:S,S,S,S

# 3.8 No start onto an own pawn
@ classic
R:S,4,H,H/Y:S,S,S,S r 1 *
  1:4>5  =  R:S,5,H,H/Y:S,S,S,S

# 3.3 A 2 starts a pawn to the circle, no further
@ classic
R:S,H,H,H/Y:S,S,S,S r 2 *
  2:S>4  =  R:4,H,H,H/Y:S,S,S,S

# 3.9 Only exchanges: the 11 may be passed
@ classic
R:58,H,H,H/Y:S,S,S,40 r 11 *
  11:58<>40  =  R:40,H,H,H/Y:S,S,S,58
  pass  =  R:58,H,H,H/Y:S,S,S,40

# 3.10, 4.2, 4.3 X on the own triangle, an entrance, a foreign triangle and the middle of a slide
@ classic
R:S,H,H,H/Y:1,17,24,27 r X *
  X:S>1  =  R:1,H,H,H/Y:S,17,24,27
  X:S>17  =  R:17,H,H,H/Y:S,1,24,27
  X:S>24  =  R:28,H,H,H/Y:S,S,1,17
  X:S>27  =  R:27,H,H,H/Y:S,1,17,24

# 3.11 The first half slides onto the second pawn's very square: dead order; a half may end where the other stood
@ classic
R:23,28,H,H/Y:S,S,S,S r 7 *
  7:23>30  =  R:28,30,H,H/Y:S,S,S,S
  7:28>35  =  R:23,35,H,H/Y:S,S,S,S
  7:23>25,28>33  =  R:25,33,H,H/Y:S,S,S,S
  7:23>26,28>32  =  R:26,32,H,H/Y:S,S,S,S
  7:23>27,28>31  =  R:27,34,H,H/Y:S,S,S,S
  7:28>30,23>28  =  R:28,30,H,H/Y:S,S,S,S
  7:28>31,23>27  =  R:27,34,H,H/Y:S,S,S,S
  7:28>32,23>26  =  R:26,32,H,H/Y:S,S,S,S
  7:28>33,23>25  =  R:25,33,H,H/Y:S,S,S,S
  7:28>34,23>24  =  R:28,34,H,H/Y:S,S,S,S
  ! 7:23>24,28>34
  ! 7:23>28,28>30
  ! 7:23>29,28>29

# 3.11 The first half's slide bumps the second pawn in its middle: that order is dead
@ classic
R:21,26,H,H/Y:S,S,S,S r 7 *
  7:21>28  =  R:26,28,H,H/Y:S,S,S,S
  7:26>33  =  R:21,33,H,H/Y:S,S,S,S
  7:21>22,26>32  =  R:22,32,H,H/Y:S,S,S,S
  7:21>23,26>31  =  R:23,34,H,H/Y:S,S,S,S
  7:21>25,26>29  =  R:25,29,H,H/Y:S,S,S,S
  ! 7:21>27,26>27
  ! 7:26>27,21>27
  7:26>28,21>26  =  R:26,28,H,H/Y:S,S,S,S
  7:26>29,21>25  =  R:25,29,H,H/Y:S,S,S,S
  7:26>30,21>24  =  R:28,30,H,H/Y:S,S,S,S
  7:26>31,21>23  =  R:23,34,H,H/Y:S,S,S,S
  7:26>32,21>22  =  R:22,32,H,H/Y:S,S,S,S
  ! 7:21>24,26>30
  ! 7:21>26,26>28

# 3.11, 3.6, 1.3 Halves into the zone and Home, by exact count
@ classic
R:0,s1,H,H/Y:S,S,S,S r 7 *
  7:0>s4  =  R:s1,s4,H,H/Y:S,S,S,S
  ! 7:0>1,s1>H
  7:0>s0,s1>H  =  R:s0,H,H,H/Y:S,S,S,S
  7:s1>s2,0>s3  =  R:s2,s3,H,H/Y:S,S,S,S
  7:s1>s3,0>s2  =  R:s2,s3,H,H/Y:S,S,S,S
  7:s1>s4,0>s1  =  R:s1,s4,H,H/Y:S,S,S,S
  7:s1>H,0>s0  =  R:s0,H,H,H/Y:S,S,S,S
  7:0>s2,s1>s3  =  R:s2,s3,H,H/Y:S,S,S,S
  7:0>s3,s1>s2  =  R:s2,s3,H,H/Y:S,S,S,S

# 4.3 A slide bumps the slider's own colour
@ classic
R:15,18,H,H/Y:S,S,S,S r 1 *
  1:15>16  =  R:S,19,H,H/Y:S,S,S,S
  1:18>19  =  R:15,19,H,H/Y:S,S,S,S

# 4.3, 3.7 An own pawn on the triangle forbids the move
@ classic
R:15,16,H,H/Y:S,S,S,S r 1 *
  1:16>17  =  R:15,17,H,H/Y:S,S,S,S

# 4.3 A slider back from the middle of the slide never bumps itself
@ classic
R:17,H,H,H/Y:S,S,S,S r 10 *
  10:17>27  =  R:27,H,H,H/Y:S,S,S,S
  10:17>16  =  R:19,H,H,H/Y:S,S,S,S

# 4.4 The displaced pawn in the middle of the slide ridden is bumped
@ classic
R:26,H,H,H/Y:S,S,S,24 r 11 *
  11:26>37  =  R:37,H,H,H/Y:S,S,S,24
  11:26<>24  =  R:28,H,H,H/Y:S,S,S,S

# 4.4 The displaced pawn on the end of the slide ridden is bumped
@ classic
R:28,H,H,H/Y:S,S,S,24 r 11 *
  11:28>39  =  R:43,H,H,H/Y:S,S,S,24
  11:28<>24  =  R:28,H,H,H/Y:S,S,S,S

# 4.5, 4.6 Back over the entrance, and in again
@ classic
R:1,H,H,H/Y:S,S,S,S r 3 *
  3:1>s1  =  R:s1,H,H,H/Y:S,S,S,S

# 4.2 slide_on own: the first own slide carries past the entrance; foreign triangles are plain
@ classic slide_on=own
R:15,0,H,H/Y:S,S,S,S r 1 *
  1:0>1  =  R:4,15,H,H/Y:S,S,S,S
  1:15>16  =  R:16,0,H,H/Y:S,S,S,S

# 4.2, 4.3 slide_on own: the own slide bumps the own pawn on the circle
@ classic slide_on=own
R:4,0,H,H/Y:S,S,S,2 r 1 *
  1:0>1  =  R:S,4,H,H/Y:S,S,S,S
  1:4>5  =  R:5,0,H,H/Y:S,S,S,2

# 4.2 slide_on own: backward out of the zone onto the own triangle
@ classic slide_on=own
R:s2,H,H,H/Y:S,S,S,S r 4 *
  4:s2>1  =  R:4,H,H,H/Y:S,S,S,S

# 4.2 slide_on any: own and foreign triangles
@ classic slide_on=any
R:15,0,H,H/Y:S,S,S,S r 1 *
  1:0>1  =  R:4,15,H,H/Y:S,S,S,S
  1:15>16  =  R:19,0,H,H/Y:S,S,S,S

# Section 7, edition-2013: a 5 starts a pawn
@ edition-2013
R:S,10,H/Y:S,S,S r 5 *
  5:S>4  =  R:4,10,H/Y:S,S,S
  5:10>15  =  R:S,15,H/Y:S,S,S

# Section 7, edition-2013: a 4 starts none
@ edition-2013
R:S,S,H/Y:S,S,S r 4 *
  pass  =  R:S,S,H/Y:S,S,S

# Section 7, edition-2013: a 7 starts a pawn only whole; a foreign triangle is plain
@ edition-2013
R:S,10,20/Y:S,S,S r 7 *
  7:S>4  =  R:4,10,20/Y:S,S,S
  7:10>17  =  R:S,17,20/Y:S,S,S
  7:20>27  =  R:S,10,27/Y:S,S,S
  7:10>11,20>26  =  R:S,11,26/Y:S,S,S
  7:10>12,20>25  =  R:S,12,25/Y:S,S,S
  7:10>13,20>24  =  R:S,13,24/Y:S,S,S
  7:10>14,20>23  =  R:S,14,23/Y:S,S,S
  7:10>15,20>22  =  R:S,15,22/Y:S,S,S
  7:10>16,20>21  =  R:S,16,21/Y:S,S,S
  7:20>21,10>16  =  R:S,16,21/Y:S,S,S
  7:20>22,10>15  =  R:S,15,22/Y:S,S,S
  7:20>23,10>14  =  R:S,14,23/Y:S,S,S
  7:20>24,10>13  =  R:S,13,24/Y:S,S,S
  7:20>25,10>12  =  R:S,12,25/Y:S,S,S
  7:20>26,10>11  =  R:S,11,26/Y:S,S,S

# Section 7, edition-2013: X moves 4 forward where it can replace none
@ edition-2013
R:20,s0,H/Y:S,S,34 r X *
  X:20>24  =  R:24,s0,H/Y:S,S,34
  X:s0>s4  =  R:20,s4,H/Y:S,S,34

# Section 7, edition-2013: X replaces or moves 4, as the player likes
@ edition-2013
R:S,20,H/Y:S,S,34 r X *
  X:S>34  =  R:20,34,H/Y:S,S,S
  X:20>24  =  R:S,24,H/Y:S,S,34

# Section 7, edition-2013, 3.4: X forward 4 is compulsory where it is the only use
@ edition-2013
R:S,s0,H/Y:S,S,S r X *
  X:s0>s4  =  R:S,s4,H/Y:S,S,S

# Section 7, edition-2013, 3.9: the start obliges, so the 11 may not be passed
@ edition-2013
R:S,58,H/Y:S,S,40 r 11 *
  11:S>4  =  R:4,58,H/Y:S,S,40
  11:58<>40  =  R:S,40,H/Y:S,S,58

# 6.3 A 1 starts the partner's pawn
@ teams
R:s4,H,H,H/B:S,S,S,S/Y:S,H,H,H/G:S,S,S,S r 1 *
  1:s4>H  =  R:H,H,H,H/B:S,S,S,S/Y:S,H,H,H/G:S,S,S,S
  1:YS>34  =  R:s4,H,H,H/B:S,S,S,S/Y:34,H,H,H/G:S,S,S,S

# 3.4, 6.3 The partner's pawn must move if it alone can
@ teams
R:S,S,S,S/B:S,S,S,S/Y:40,H,H,H/G:S,S,S,S r 3 *
  3:Y40>43  =  R:S,S,S,S/B:S,S,S,S/Y:43,H,H,H/G:S,S,S,S

# 6.4, 6.5 Partners bump each other, by count and by slide
@ teams
R:10,H,H,H/B:S,S,S,S/Y:13,H,H,H/G:S,S,S,S r 3 *
  3:10>13  =  R:13,H,H,H/B:S,S,S,S/Y:S,H,H,H/G:S,S,S,S
  3:Y13>16  =  R:10,H,H,H/B:S,S,S,S/Y:19,H,H,H/G:S,S,S,S

# 4.3, 6.5 A slide bumps the partner's pawn
@ teams
R:15,H,H,H/B:S,S,S,S/Y:18,H,H,H/G:S,S,S,S r 1 *
  1:15>16  =  R:19,H,H,H/B:S,S,S,S/Y:S,H,H,H/G:S,S,S,S
  1:Y18>19  =  R:15,H,H,H/B:S,S,S,S/Y:19,H,H,H/G:S,S,S,S

# 3.8 A start bumps the partner's pawn on the circle
@ teams
R:S,H,H,H/B:S,S,S,S/Y:4,H,H,H/G:S,S,S,S r 1 *
  1:S>4  =  R:4,H,H,H/B:S,S,S,S/Y:S,H,H,H/G:S,S,S,S
  1:Y4>5  =  R:S,H,H,H/B:S,S,S,S/Y:5,H,H,H/G:S,S,S,S

# 6.4 A red pawn slides on a yellow triangle
@ teams
R:30,H,H,H/B:S,S,S,S/Y:s4,H,H,H/G:S,S,S,S r 1 *
  1:30>31  =  R:34,H,H,H/B:S,S,S,S/Y:s4,H,H,H/G:S,S,S,S
  1:Ys4>H  =  R:30,H,H,H/B:S,S,S,S/Y:H,H,H,H/G:S,S,S,S

# 6.4, 6.8 A yellow pawn moved by Red, whose own are Home, stays on a yellow triangle
@ teams
R:H,H,H,H/B:S,S,S,S/Y:30,H,H,H/G:S,S,S,S r 1 *
  1:Y30>31  =  R:H,H,H,H/B:S,S,S,S/Y:31,H,H,H/G:S,S,S,S

# 6.6 X goes to opposing pawns while one is on the ring, from either Start
@ teams
R:S,H,H,H/B:S,S,S,20/Y:40,S,H,H/G:S,S,S,S r X *
  X:S>20  =  R:20,H,H,H/B:S,S,S,S/Y:S,40,H,H/G:S,S,S,S
  X:YS>20  =  R:S,H,H,H/B:S,S,S,S/Y:40,20,H,H/G:S,S,S,S

# 6.6 With no opposing pawn on the ring X must replace a partner's, each Start the other colour's
@ teams
R:S,20,H,H/B:S,S,S,s2/Y:S,40,H,H/G:S,S,S,S r X *
  X:S>40  =  R:20,40,H,H/B:S,S,S,s2/Y:S,S,H,H/G:S,S,S,S
  X:YS>20  =  R:S,S,H,H/B:S,S,S,s2/Y:40,20,H,H/G:S,S,S,S

# 6.6, 4.2 X on the partner's pawn slides too
@ teams
R:S,H,H,H/B:S,S,S,S/Y:24,H,H,H/G:S,S,S,S r X *
  X:S>24  =  R:28,H,H,H/B:S,S,S,S/Y:S,H,H,H/G:S,S,S,S

# 6.6 A Start pawn never replaces its own colour's
@ teams
R:S,20,H,H/B:S,S,S,S/Y:s4,H,H,H/G:S,S,S,S r X *
  pass  =  R:S,20,H,H/B:S,S,S,S/Y:s4,H,H,H/G:S,S,S,S

# 6.6 Forward 4 stays free beside a partner's replacement
@ teams x_forward4=True
R:S,20,H,H/B:S,S,S,S/Y:40,H,H,H/G:S,S,S,S r X *
  X:S>40  =  R:20,40,H,H/B:S,S,S,S/Y:S,H,H,H/G:S,S,S,S
  X:20>24  =  R:S,28,H,H/B:S,S,S,S/Y:40,H,H,H/G:S,S,S,S
  X:Y40>44  =  R:S,20,H,H/B:S,S,S,S/Y:44,H,H,H/G:S,S,S,S

# 6.7 No exchange with the partner without the option
@ teams
R:20,H,H,H/B:S,S,S,S/Y:50,H,H,H/G:S,S,S,S r 11 *
  11:20>31  =  R:34,H,H,H/B:S,S,S,S/Y:50,H,H,H/G:S,S,S,S
  11:Y50>1  =  R:20,H,H,H/B:S,S,S,S/Y:4,H,H,H/G:S,S,S,S

# 6.7 swap_partner: the pawn named first slides, the other stays on the triangle
@ teams swap_partner=True
R:20,H,H,H/B:S,S,S,S/Y:54,H,H,H/G:S,S,S,S r 11 *
  11:20>31  =  R:34,H,H,H/B:S,S,S,S/Y:54,H,H,H/G:S,S,S,S
  11:Y54>5  =  R:20,H,H,H/B:S,S,S,S/Y:5,H,H,H/G:S,S,S,S
  11:20<>54  =  R:58,H,H,H/B:S,S,S,S/Y:20,H,H,H/G:S,S,S,S
  11:Y54<>20  =  R:54,H,H,H/B:S,S,S,S/Y:20,H,H,H/G:S,S,S,S

# 3.9, 6.7 swap_partner: an exchange of partners does not oblige
@ teams swap_partner=True
R:58,H,H,H/B:S,S,S,S/Y:28,H,H,H/G:S,S,S,S r 11 *
  11:58<>28  =  R:28,H,H,H/B:S,S,S,S/Y:58,H,H,H/G:S,S,S,S
  11:Y28<>58  =  R:28,H,H,H/B:S,S,S,S/Y:58,H,H,H/G:S,S,S,S
  pass  =  R:58,H,H,H/B:S,S,S,S/Y:28,H,H,H/G:S,S,S,S

# 3.9 The partner's forward 11 obliges; either colour may exchange with an opposing pawn
@ teams
R:58,H,H,H/B:S,S,S,20/Y:50,H,H,H/G:S,S,S,S r 11 *
  11:58<>20  =  R:20,H,H,H/B:S,S,S,58/Y:50,H,H,H/G:S,S,S,S
  11:Y50<>20  =  R:58,H,H,H/B:S,S,S,50/Y:20,H,H,H/G:S,S,S,S
  11:Y50>1  =  R:58,H,H,H/B:S,S,S,20/Y:4,H,H,H/G:S,S,S,S

# 3.11, 8.3 Both halves over the two colours, each with its letter
@ teams
R:20,H,H,H/B:S,S,S,S/Y:50,H,H,H/G:S,S,S,S r 7 *
  7:20>27  =  R:27,H,H,H/B:S,S,S,S/Y:50,H,H,H/G:S,S,S,S
  7:Y50>57  =  R:20,H,H,H/B:S,S,S,S/Y:57,H,H,H/G:S,S,S,S
  7:20>21,Y50>56  =  R:21,H,H,H/B:S,S,S,S/Y:56,H,H,H/G:S,S,S,S
  7:20>22,Y50>55  =  R:22,H,H,H/B:S,S,S,S/Y:55,H,H,H/G:S,S,S,S
  7:20>23,Y50>54  =  R:23,H,H,H/B:S,S,S,S/Y:58,H,H,H/G:S,S,S,S
  7:20>24,Y50>53  =  R:28,H,H,H/B:S,S,S,S/Y:53,H,H,H/G:S,S,S,S
  7:20>25,Y50>52  =  R:25,H,H,H/B:S,S,S,S/Y:52,H,H,H/G:S,S,S,S
  7:20>26,Y50>51  =  R:26,H,H,H/B:S,S,S,S/Y:51,H,H,H/G:S,S,S,S
  7:Y50>51,20>26  =  R:26,H,H,H/B:S,S,S,S/Y:51,H,H,H/G:S,S,S,S
  7:Y50>52,20>25  =  R:25,H,H,H/B:S,S,S,S/Y:52,H,H,H/G:S,S,S,S
  7:Y50>53,20>24  =  R:28,H,H,H/B:S,S,S,S/Y:53,H,H,H/G:S,S,S,S
  7:Y50>54,20>23  =  R:23,H,H,H/B:S,S,S,S/Y:58,H,H,H/G:S,S,S,S
  7:Y50>55,20>22  =  R:22,H,H,H/B:S,S,S,S/Y:55,H,H,H/G:S,S,S,S
  7:Y50>56,20>21  =  R:21,H,H,H/B:S,S,S,S/Y:56,H,H,H/G:S,S,S,S

# 3.11, 6.5 A first half that bumps the partner's pawn is dead for it; a second half may bump it
@ teams
R:20,H,H,H/B:S,S,S,S/Y:23,H,H,H/G:S,S,S,S r 7 *
  7:20>27  =  R:27,H,H,H/B:S,S,S,S/Y:23,H,H,H/G:S,S,S,S
  7:Y23>30  =  R:20,H,H,H/B:S,S,S,S/Y:30,H,H,H/G:S,S,S,S
  7:20>21,Y23>29  =  R:21,H,H,H/B:S,S,S,S/Y:29,H,H,H/G:S,S,S,S
  7:20>22,Y23>28  =  R:22,H,H,H/B:S,S,S,S/Y:28,H,H,H/G:S,S,S,S
  7:20>24,Y23>26  =  R:28,H,H,H/B:S,S,S,S/Y:26,H,H,H/G:S,S,S,S
  7:20>25,Y23>25  =  R:S,H,H,H/B:S,S,S,S/Y:25,H,H,H/G:S,S,S,S
  7:20>26,Y23>24  =  R:S,H,H,H/B:S,S,S,S/Y:28,H,H,H/G:S,S,S,S
  7:Y23>24,20>26  =  R:26,H,H,H/B:S,S,S,S/Y:28,H,H,H/G:S,S,S,S
  7:Y23>25,20>25  =  R:25,H,H,H/B:S,S,S,S/Y:S,H,H,H/G:S,S,S,S
  7:Y23>26,20>24  =  R:28,H,H,H/B:S,S,S,S/Y:S,H,H,H/G:S,S,S,S
  7:Y23>27,20>23  =  R:23,H,H,H/B:S,S,S,S/Y:27,H,H,H/G:S,S,S,S
  7:Y23>28,20>22  =  R:22,H,H,H/B:S,S,S,S/Y:28,H,H,H/G:S,S,S,S
  7:Y23>29,20>21  =  R:21,H,H,H/B:S,S,S,S/Y:29,H,H,H/G:S,S,S,S

# 3.11, 4.3 A first half whose slide ends on the partner's pawn: dead, though the same squares are named
@ teams
R:23,H,H,H/B:S,S,S,S/Y:28,H,H,H/G:S,S,S,S r 7 *
  ...
  7:23>25,Y28>s0  =  R:25,H,H,H/B:S,S,S,S/Y:s0,H,H,H/G:S,S,S,S
  ! 7:23>24,Y28>34
  ! 7:23>24,Y28>s1
  ! 7:23>28,Y28>30

# 5.3, 5.4 Nothing playable: any card is discarded, each kind once
@ points
R:S,S,S,H/Y:S,S,S,H r 3.3.4.8.X/1.1.2.2.4 *
  discard 3  =  R:S,S,S,H/Y:S,S,S,H
  discard 4  =  R:S,S,S,H/Y:S,S,S,H
  discard 8  =  R:S,S,S,H/Y:S,S,S,H
  discard X  =  R:S,S,S,H/Y:S,S,S,H

# 5.5 A 2 without a use can only be discarded
@ points
R:s4,H,H,H/Y:S,S,S,H r 2.2.3.3.5/1.1.2.2.4 *
  discard 2  =  R:s4,H,H,H/Y:S,S,S,H
  discard 3  =  R:s4,H,H,H/Y:S,S,S,H
  discard 5  =  R:s4,H,H,H/Y:S,S,S,H

# 5.3 An 11 with only an exchange does not oblige
@ points
R:S,S,58,H/Y:S,S,S,34 r 11.11.11.12.12/1.1.2.2.4 *
  11:58<>34  =  R:S,S,34,H/Y:S,S,S,58
  discard 11  =  R:S,S,58,H/Y:S,S,S,34
  discard 12  =  R:S,S,58,H/Y:S,S,S,34

# 5.3 With another card playable one must be played, the exchange too, and no card is discarded
@ points
R:S,S,58,H/Y:S,S,S,34 r 3.11.12.12.12/1.1.2.2.4 *
  3:58>1  =  R:S,S,1,H/Y:S,S,S,34
  11:58<>34  =  R:S,S,34,H/Y:S,S,S,58

# 5.3, 6.3, 8.2 Partnership hands, the others' unknown
@ team-points
R:S,S,S,4/B:S,S,S,19/Y:S,S,S,34/G:S,S,S,49 r 3.3.5.8.X/?/?/? *
  3:4>7  =  R:S,S,S,7/B:S,S,S,19/Y:S,S,S,34/G:S,S,S,49
  3:Y34>37  =  R:S,S,S,4/B:S,S,S,19/Y:S,S,S,37/G:S,S,S,49
  5:4>9  =  R:S,S,S,9/B:S,S,S,19/Y:S,S,S,34/G:S,S,S,49
  5:Y34>39  =  R:S,S,S,4/B:S,S,S,19/Y:S,S,S,39/G:S,S,S,49
  8:4>12  =  R:S,S,S,12/B:S,S,S,19/Y:S,S,S,34/G:S,S,S,49
  8:Y34>42  =  R:S,S,S,4/B:S,S,S,19/Y:S,S,S,42/G:S,S,S,49
  X:S>19  =  R:S,S,4,19/B:S,S,S,S/Y:S,S,S,34/G:S,S,S,49
  X:S>49  =  R:S,S,4,49/B:S,S,S,19/Y:S,S,S,34/G:S,S,S,S
  X:YS>19  =  R:S,S,S,4/B:S,S,S,S/Y:S,S,34,19/G:S,S,S,49
  X:YS>49  =  R:S,S,S,4/B:S,S,S,19/Y:S,S,34,49/G:S,S,S,S
"""
